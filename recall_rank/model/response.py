"""The records of a search response, and Context, the record of the caller's session, project and folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Self

from recall_rank.model.record_classes import field, frozen
from recall_rank.model.sessions import Flag
from recall_rank.model.sources import SourceReport

Match = Literal["literal", "smart", "fuzzy", "regex"]
Scope = Literal["session", "project", "global"]
Group = Literal["part", "session"]
Order = Literal["relevance", "time"]
ResultSource = Literal["message", "title", "tool", "reasoning"]
DirectoryBucket = Literal["exact", "project", "global"]
DirectoryRelevance = Literal[DirectoryBucket, "unknown"]
Recency = Literal["recent", "older", "unknown"]
Confidence = Literal["high", "medium", "low"]
Stage = Literal["score", "prefilter", "scan"]


@frozen
class Context:
    """The caller's current session, project and folder. The search scopes "session" and "project" need it."""

    session_id: str | None = None
    project: str | None = None
    directory: str | None = None
    worktree: str | None = None
    repository: str | None = None  # the name of a project, independent of its folder; see Session
    in_context: tuple[str, ...] = ()  # messages of the session that its model still reads, by their ids
    in_context_since: str | None = None  # and this one with all behind it


@frozen
class Span:
    """The position of one match as character offsets.

    [start, end) is in the snippet, [text_start, text_end) in the field that the snippet was cut from.
    """

    start: int
    end: int
    text_start: int
    text_end: int


@frozen
class Why:
    """The reasons for a result: matched fields and terms, nearness of its directory, age, confidence."""

    matched_fields: Sequence[str]
    matched_terms: Sequence[str]
    directory_relevance: DirectoryRelevance
    recency: Recency
    confidence: Confidence
    matched_forms: Mapping[str, Sequence[str]] | None = None  # query's word(s) -> as found; present when explained


@frozen
class CopyPlace:
    """The place of a copy of a result in another store: the name of the store, and the ids there."""

    source: str
    session_id: str
    message_id: str
    part_id: str


@frozen
class Result:
    """One hit: a part, the title of a session, or, when results are grouped by session, the best part of a session."""

    session_id: str
    session_title: str
    directory: str
    project: str
    message_id: str
    role: str
    time: int
    part_id: str
    part_type: str
    pruned: bool
    snippet: str
    spans: Sequence[Span]
    field: str  # the field the snippet was cut from
    source: ResultSource
    history: str  # name of the store the session was read from
    agent: str | None  # the program that wrote the session
    score: float
    stage: Stage  # the stage that ranked it
    match_mode: Match
    matched_terms: Sequence[str]
    why: Why
    directory_relevance: DirectoryRelevance
    flags: Flag
    tool_name: str | None = None
    author: str | None = None
    title_match: str | None = None
    hit_count: int | None = None  # grouped: how many of the session's parts are hits
    hit_count_exact: bool = True
    explain: Mapping[str, float] | None = None  # score parts, present when asked for
    match_reasons: Sequence[str] | None = None
    also_in: Sequence[CopyPlace] = ()  # copies of this part in other stores, which are no results of their own
    host: str | None = None  # the machine of the session, and the account there, in an index of several machines
    user: str | None = None


@frozen
class Count:
    """Counts of one type of record, sessions, messages or parts: those that were known, and that a search left out or
    read.

    known = eligible + skipped, and eligible = searched + not_reached.
    """

    known: int = 0
    eligible: int = 0
    searched: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)  # reason -> how many

    @property
    def not_reached(self) -> int:
        return self.eligible - self.searched


@frozen
class VectorCount:
    """The number of passages of prose that have a vector; those without one are ranked by their words alone."""

    model: str  # the name of the embedder
    passages: int  # that have a vector or should have one
    with_vector: int


NOT_READ_YET: Final = "not_read_yet"  # in `limited_by` of an answer while anything is unread


@frozen
class Unread:
    """The part of the histories that was not read yet when an answer was made: the number of new and changed units,
    which are files and sessions of databases, and about how many bytes those have more than what was read.

    Both are None where they are not known yet, because the sources are still being looked through, and where they would
    show the size of other projects.
    """

    units: int | None = None
    bytes: int | None = None

    def __str__(self) -> str:
        if self.units is None:
            return "whether there is more than was read is not known yet; ask again soon"
        files = f"{self.units:,} new or changed {'file or session' if self.units == 1 else 'files and sessions'}"
        more = "" if self.bytes is None else f", about {self.bytes / (1 << 20):,.1f} MiB"
        return f"not everything is read yet: {files}{more}; ask again soon"


@frozen
class Coverage:
    """The number of sessions, messages and parts that a search read or left out, with the reasons.

    `limited_by` names the options and limits that left any out.
    """

    sessions: Count
    messages: Count
    parts: Count
    limited_by: Sequence[str] = ()
    per_source: Sequence[SourceReport] = ()
    directory_buckets: Mapping[str, int] = field(default_factory=dict)  # of returned results
    stale_ms: int = 0  # age of the generation that answered
    vectors: VectorCount | None = None  # present where the index has an embedder
    not_reached: Sequence[str] = ()  # the names of shards that did not answer, or not completely
    unread: Unread | None = None  # what was not read yet when this was answered; None when everything was


class Suggestion(str):
    """A suggestion for the next search: a sentence for people, with a category for programs as an attribute."""

    __slots__ = ("category",)
    category: str

    def __new__(cls, text: str, category: str = "") -> Self:  # copies are made from the text, then get the category
        self = super().__new__(cls, text)
        self.category = category
        return self


@frozen
class NearMiss:
    """A term or a session that is close to the query without being a hit."""

    kind: Literal["term", "session"]
    text: str  # the term that almost matched, or the session's title
    session_id: str | None
    reason: str

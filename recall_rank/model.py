"""What a history is made of, what a search answers: plain frozen records, no behaviour."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

Role = Literal["user", "assistant", "system", "tool"]
Match = Literal["literal", "smart", "fuzzy", "regex"]
Scope = Literal["session", "project", "global"]
Group = Literal["part", "session"]
Order = Literal["relevance", "time"]
ResultSource = Literal["message", "title", "tool", "reasoning"]
DirectoryRelevance = Literal["exact", "project", "global", "unknown"]
Recency = Literal["recent", "older", "unknown"]
Confidence = Literal["high", "medium", "low"]
Stage = Literal["score", "prefilter", "scan"]


class Flag(enum.IntFlag):
    """What a loader knows about a session, message or part beyond its words.

    Flags are never a reason to drop a record: the engine weighs and filters by them.
    A part carries its own flags; those of its message and session are added when indexed.
    """

    NONE = 0
    SYNTHETIC = 1  # injected by the agent's program, not written by a person or the model
    SUBAGENT = 2  # a sidechain or subagent's conversation
    ABANDONED = 4  # on a branch the conversation left
    OUT_OF_CONTEXT = 8  # before a compaction, no longer sent to the model
    PRUNED = 16  # the agent dropped this output from later requests
    ARCHIVED = 32
    SUMMARY = 64  # a compaction's or branch's summary
    ERROR = 128  # a failed tool call or an error record
    SOURCE_MISSING = 256  # kept in the index although its source has it no longer


class Kind(enum.IntEnum):
    """What sort of document a passage is; weights.py says what each is worth. Below 16, native code has room for 64."""

    TITLE = 0
    USER = 1  # a person's words to an agent
    ASSISTANT = 2  # the agent's prose
    REASONING = 3
    TOOL = 4  # a tool call's input and output
    TOOL_ERROR = 5
    SUBTASK = 6
    SUMMARY = 7
    INJECTED = 8  # text put in by the agent's program
    TALK = 9  # people talking with each other
    OTHER = 10


class Talk(enum.IntEnum):
    """Who talks in a session. Native code counts on these numbers."""

    WORK = 0  # a user with an agent that calls tools
    PEOPLE = 1  # people with each other
    CHAT = 2  # a user with an agent that only talks


SUBAGENT_KIND = 16  # added to the kind of a document from a sidechain or abandoned branch


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of a message. Searchable are text, prompt, output, error, title, the tool's name
    and the string values inside input; base64 payloads must be removed by the loader."""

    id: str
    type: str  # text, reasoning, tool, subtask, compaction, file, patch, ...
    text: str | None = None
    tool: str | None = None
    input: Any = None  # JSON value
    output: str | None = None
    error: str | None = None
    title: str | None = None  # the tool state's own title
    prompt: str | None = None  # a subtask's prompt; its description is text
    status: str | None = None  # completed, error, running, pending
    flags: Flag = Flag.NONE
    files: tuple[str, ...] = ()  # paths a tool call touched


@dataclass(frozen=True, slots=True)
class Tokens:
    """What an answer, or a whole session, used by the account of the program that wrote it; None: it does not say.

    Whatever way the program counts, input is all that was sent and output all that was written here.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None  # of the input, what came from a cache
    reasoning: int | None = None  # of the output, what was thought


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. time is milliseconds since 1970 UTC, 0 when unknown."""

    id: str
    role: Role
    time: int = 0
    parts: Sequence[Part] = ()
    author: str | None = None
    agent: str | None = None
    model: str | None = None
    flags: Flag = Flag.NONE
    tokens: Tokens | None = None
    cost: float | None = None  # US dollars


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation with its messages in the order they were said. Times are milliseconds since 1970 UTC."""

    id: str
    messages: Sequence[Message] = ()
    title: str | None = None
    directory: str | None = None
    project: str | None = None
    worktree: str | None = None
    created: int = 0
    updated: int = 0
    parent: str | None = None  # the session that it came from, in whatever way; of a subagent the one that called it
    source: str | None = None  # the name of the store it was read from
    agent: str | None = None  # the program that wrote it
    flags: Flag = Flag.NONE
    forked_from: str | None = None  # the session whose beginning it repeats; what was repeated counts there
    continues: str | None = None  # the session that a compaction closed, and that goes on here
    tokens: Tokens | None = None  # of the whole session, where its store records a sum
    cost: float | None = None  # likewise, in US dollars
    repository: str | None = None  # what its project is called wherever it lies: remote or root commit
    places: Sequence[str] = ()  # every file or database in which it was found, first the one it was read from


@dataclass(frozen=True, slots=True)
class Context:
    """What "current" means to the caller: needed by scope session and scope project."""

    session_id: str | None = None
    project: str | None = None
    directory: str | None = None
    worktree: str | None = None
    repository: str | None = None  # what a project is called wherever it lies; see Session
    in_context: tuple[str, ...] = ()  # messages of the session that its model still reads, by their ids
    in_context_since: str | None = None  # and this one with all behind it


# --- reading histories ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unit:
    """What can change by itself in a source: one file, or one session of a database."""

    key: str  # unique within the source
    location: str  # the path a person would open


@dataclass(frozen=True, slots=True)
class Malformed:
    """One record that could not be read, and where it stands."""

    location: str  # file path, or database path and table
    place: str  # "line 12", "byte 4096", "row prt_1"
    reason: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What one read of a unit gave."""

    sessions: Sequence[Session]
    malformed: Sequence[Malformed] = ()
    warnings: Sequence[str] = ()
    resume: bytes | None = None  # opaque; given back as `since` to read only what was appended


@runtime_checkable
class Source(Protocol):
    """One agent's store. Reading never changes it."""

    @property
    def name(self) -> str:
        """Short name of the agent, such as "opencode"."""
        ...

    @property
    def location(self) -> str:
        """The file or folder this source reads."""
        ...

    def units(self) -> Iterable[Unit]:
        """Everything that can change by itself. Raises OSError when the store cannot be listed."""
        ...

    def signature(self, unit: Unit) -> bytes:
        """Bytes that differ whenever the unit's content differs; metadata reads only."""
        ...

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        """The unit's sessions. Bad records are returned as malformed; only an unreadable unit raises OSError."""
        ...


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source gave and what it could not give."""

    agent: str
    location: str
    bytes: int = 0
    sessions: int = 0
    messages: int = 0
    parts: int = 0
    malformed: Sequence[Malformed] = ()
    errors: Sequence[str] = ()  # units that could not be read at all
    warnings: Sequence[str] = ()
    newest: int = 0  # time of the newest message, ms
    kept: int = 0  # sessions that are gone from the source and were kept; not among those counted above

    @property
    def failed(self) -> bool:
        """Nothing at all could be read although something is there."""
        return bool(self.errors) and not self.sessions


@dataclass(frozen=True, slots=True)
class RefreshReport:
    """What a refresh of an index on disk found and did."""

    sources: Sequence[SourceReport]
    changed: bool = False  # False: nothing had changed, and nothing was written
    units: int = 0  # that were read
    indexed: int = 0  # sessions, new ones and those that changed
    removed: int = 0  # sessions that are in the index no longer
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0


# --- answers -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Span:
    """A matched stretch: character offsets in the snippet and in the field it was cut from."""

    start: int
    end: int
    text_start: int
    text_end: int


@dataclass(frozen=True, slots=True)
class Why:
    """Why a result is here, in words a person or an agent can check."""

    matched_fields: Sequence[str]
    matched_terms: Sequence[str]
    directory_relevance: DirectoryRelevance
    recency: Recency
    confidence: Confidence
    matched_forms: Mapping[str, Sequence[str]] | None = None  # query's word(s) -> as found; present when explained


@dataclass(frozen=True, slots=True)
class Result:
    """One hit: a part, a session's title, or (grouped) the session it represents."""

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


@dataclass(frozen=True, slots=True)
class Count:
    """One ledger line: known = eligible + skipped; eligible = searched + not_reached."""

    known: int = 0
    eligible: int = 0
    searched: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)  # reason -> how many

    @property
    def not_reached(self) -> int:
        return self.eligible - self.searched


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was searched, what was not, and why."""

    sessions: Count
    messages: Count
    parts: Count
    limited_by: Sequence[str] = ()
    per_source: Sequence[SourceReport] = ()
    directory_buckets: Mapping[str, int] = field(default_factory=dict)  # of returned results
    stale_ms: int = 0  # age of the generation that answered


@dataclass(frozen=True, slots=True)
class NearMiss:
    """Something close that is not a hit."""

    kind: Literal["term", "session"]
    text: str  # the term that almost matched, or the session's title
    session_id: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class SearchResponse:
    """The answer to one search. Counts are parts, or sessions when grouped by session."""

    results: Sequence[Result]
    query: str
    match_mode: Match
    group: Group
    total: int
    total_exact: bool
    truncated: bool
    coverage: Coverage
    degrade_kind: str  # none, time, budget, fallback: the first of degrade_kinds
    degrade_kinds: Sequence[str]
    stages_run: Sequence[str]
    answerable: float  # chance that the best result's session holds the answer
    warnings: Sequence[str] = ()
    suggestions: Sequence[str] = ()
    near_misses: Sequence[NearMiss] = ()
    load_errors: Sequence[str] = ()
    elapsed_ms: float = 0.0
    cpu_ms: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The response as plain JSON values in snake_case."""
        from recall_rank.wire import response_to_dict

        return response_to_dict(self)

    def to_json(self) -> bytes:
        """The response as UTF-8 JSON."""
        import orjson

        return orjson.dumps(self.to_dict())

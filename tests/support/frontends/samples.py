"""Small answers, histories and fake indexes for tests of the front ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from recall_rank.model import (
    CopyPlace,
    Count,
    Coverage,
    Flag,
    Malformed,
    Message,
    NearMiss,
    Part,
    ReadFailure,
    Reading,
    Result,
    SearchResponse,
    Session,
    SourceReport,
    Span,
    Why,
)

NOW = 1_780_000_000_000


def hit(**changes: Any) -> Result:
    why = Why(("text",), ("rate", "limit"), "exact", "recent", "high")
    result = Result(
        session_id="s1",
        session_title="Limits",
        directory="/srv/harbor",
        project="harbor",
        message_id="m1",
        role="assistant",
        time=NOW - 7_200_000,
        part_id="p1",
        part_type="text",
        pruned=False,
        snippet="the rate limit is sixty",
        spans=(Span(4, 8, 104, 108), Span(9, 14, 109, 114)),
        field="text",
        source="message",
        history="opencode",
        agent=None,
        score=0.75,
        stage="score",
        match_mode="smart",
        matched_terms=("rate", "limit"),
        why=why,
        directory_relevance="exact",
        flags=Flag.NONE,
    )
    return replace(result, **changes)


def response(results: Sequence[Result] = (), **changes: Any) -> SearchResponse:
    answer = SearchResponse(
        results=results,
        query="rate limit",
        match_mode="smart",
        group="part",
        total=len(results),
        total_exact=True,
        truncated=False,
        coverage=Coverage(Count(3, 2, 2, {"directory": 1}), Count(9, 9, 9), Count(12, 12, 12)),
        degrade_kind="none",
        degrade_kinds=(),
        stages_run=("parse", "filter", "prefilter", "score", "boost", "group", "snippet", "respond"),
        answerable=0.5,
        elapsed_ms=1.5,
        cpu_ms=1.0,
    )
    return replace(answer, **changes)


def full_response() -> SearchResponse:
    """Return an answer with a value for every optional field."""
    result = hit(
        agent="opencode",
        tool_name="bash",
        author="sam",
        title_match="Limits",
        hit_count=3,
        hit_count_exact=False,
        explain={"evidence": 0.7, "phrase": 0.05},
        match_reasons=("phrase",),
        flags=Flag.SUBAGENT | Flag.ERROR,
        pruned=True,
        also_in=(CopyPlace("specstory", "page", "page:3", "page:3:0"),),
    )
    report = SourceReport("opencode", "/data", 10, 3, 9, 12, (Malformed("/data/x", "line 2", "torn"),), newest=NOW)
    empty = response([result])
    coverage = replace(
        empty.coverage, limited_by=("directory",), per_source=(report,), directory_buckets={"exact": 1}, stale_ms=5
    )
    return replace(
        empty,
        coverage=coverage,
        degrade_kind="time",
        degrade_kinds=("time", "fallback"),
        warnings=("odd",),
        suggestions=("match smart",),
        near_misses=(NearMiss("term", "rat", None, "one edit away"), NearMiss("session", "Rates", "s9", "title")),
        load_errors=("opencode: locked",),
        trace=("parse: words rate, limit",),
    )


def session(name: str, *texts: str, time: int = NOW) -> Session:
    parts = [Part(f"{name}-p{number}", "text", text) for number, text in enumerate(texts)]
    messages = [Message(f"{part.id}-m", "user", time, (part,)) for part in parts]
    return Session(name, messages, title=f"About {name}", directory="/srv/harbor", source="fake")


class FakeIndex:
    """Finds texts that contain the query, and records its calls."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        self.sessions = list(sessions)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    @classmethod
    def build(cls, sessions: Iterable[Session]) -> FakeIndex:
        return cls(sessions)

    def search(self, query: str, **options: Any) -> SearchResponse:
        self.asked.append((query, options))
        if not query.strip():
            raise ValueError("query must not be blank")
        if query == "defect":
            raise RuntimeError("boom")
        hits = [
            hit(session_id=session.id, message_id=message.id, part_id=part.id, snippet=part.text, spans=())
            for session in self.sessions
            for message in session.messages
            for part in message.parts
            if query in (part.text or "")
        ]
        return response(hits, query=query)


def fake_read_all(sources: Iterable[Any], progress: Any = None) -> tuple[list[Session], list[SourceReport]]:
    """Read fake sources: each is a sequence of sessions, or errors under a name."""
    sessions: list[Session] = []
    reports = []
    sources = list(sources)
    for number, source in enumerate(sources):
        try:
            found = list(source.units())
        except OSError as error:
            reports.append(SourceReport(source.name, source.location, failures=(ReadFailure("", str(error)),)))
            continue
        sessions += found
        reports.append(SourceReport(source.name, source.location, sessions=len(found), newest=NOW))
        if progress is not None:
            progress(number + 1, len(sources))
    return sessions, reports


class FakeSource:
    """A source whose units are its sessions."""

    def __init__(self, *sessions: Session, name: str = "fake", error: str | None = None) -> None:
        self.sessions, self.name, self.error, self.location = sessions, name, error, f"/data/{name}"
        self.reads = 0

    def units(self) -> Iterable[Session]:
        self.reads += 1
        if self.error:
            raise OSError(self.error)
        return self.sessions

    def signature(self, unit: Session) -> bytes:
        return unit.id.encode()

    def read(self, unit: Session, since: bytes | None = None) -> Reading:
        return Reading((unit,))

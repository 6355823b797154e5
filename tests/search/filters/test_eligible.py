"""Scope and filters decide the eligible set before anything is ranked or counted."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index, index_of_segments
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import Context, Part, Session
from recall_rank.model.project_scope import inside, normal_path
from recall_rank.search.filters import session_filters
from recall_rank.search.filters.session_filters import SESSION_REASONS
from tests.support.search.samples import DAY_MS, HOUR_MS, NOW, ask, found, message, part, parts, session


def histories() -> list[Session]:
    """Four sessions that all speak of the lantern, newest first: api, web, docs, and an old one far away."""
    tool = part("api.tool", tool="bash", input={"command": "lantern --trim"}, output="lantern trimmed")
    reading = part("api.read", tool="read", output="class Lantern: wick = 2")
    thought = part("api.thought", "the lantern may flicker", kind="reasoning")
    return [
        session(
            "api",
            message("api.ask", part("api.q", "why does the lantern flicker"), time=NOW - 3 * HOUR_MS),
            message("api.act", thought, tool, reading, part("api.a", "The lantern wick was dry."), role="assistant",
                    time=NOW - 2 * HOUR_MS),
            title="Lantern flicker", directory="/srv/harbor/api", project="harbor", worktree="/srv/harbor",
            updated=NOW - 2 * HOUR_MS,
        ),
        session(
            "web",
            message("web.ask", part("web.q", "paint the lantern page, please with sugar"), time=NOW - 2 * DAY_MS),
            message("web.act", part("web.a", "The lantern page is blue."), role="assistant", time=NOW - 2 * DAY_MS + 1),
            title="Colours", directory="/srv/harbor/web", project="harbor", worktree="/srv/harbor",
            updated=NOW - 2 * DAY_MS,
        ),
        session(
            "docs", message("docs.ask", part("docs.q", "a lantern manual"), time=NOW - 5 * DAY_MS),
            title="Manual", directory="/srv/harbor-docs", project="docs", updated=NOW - 5 * DAY_MS,
        ),
        session(
            "far", message("far.ask", part("far.q", "lantern prices"), time=NOW - 40 * DAY_MS),
            message("far.system", part("far.s", "a lantern reminder"), role="system", time=0),
            directory="C:\\trade\\prices", updated=NOW - 40 * DAY_MS,
        ),
    ]  # fmt: skip


EVERYTHING = {
    *(
        "api.q",
        "api.thought",
        "api.tool",
        "api.read",
        "api.a",
        "api:title",
        "web.q",
        "web.a",
        "docs.q",
        "far.q",
        "far.s",
    ),
}
HERE = Context(session_id="web", project="harbor", directory="/srv/harbor/web", worktree="/srv/harbor")


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(histories())


ROWS = [
    pytest.param({}, EVERYTHING, id="no filter"),
    pytest.param({"type": "text"}, {"api.q", "api.a", "web.q", "web.a", "docs.q", "far.q", "far.s"}, id="no titles"),
    pytest.param({"type": "tool"}, {"api.tool", "api.read"}, id="tool"),
    pytest.param({"type": "reasoning"}, {"api.thought"}, id="reasoning"),
    pytest.param({"tool_name": "bash"}, {"api.tool"}, id="tool name"),
    pytest.param({"tool_name": "Bash"}, {"api.tool"}, id="tool name in another case"),
    pytest.param({"tool_name": "bas"}, set(), id="tool names are whole"),
    pytest.param({"tool_name": "read", "type": "tool"}, {"api.read"}, id="tool name and type"),
    pytest.param({"role": "user"}, {"api.q", "api:title", "web.q", "docs.q", "far.q"}, id="role user"),
    pytest.param(
        {"role": "assistant"},
        {"api.thought", "api.tool", "api.read", "api.a", "api:title", "web.a"},
        id="role assistant",
    ),
    pytest.param({"session_id": "web"}, {"web.q", "web.a"}, id="session"),
    pytest.param({"session_id": "nowhere"}, set(), id="unknown session"),
    pytest.param({"session_prefix": "we"}, {"web.q", "web.a"}, id="sessions by the beginning of their id"),
    pytest.param({"session_prefix": "eb"}, set(), id="the beginning only"),
    pytest.param({"session_prefix": "WE"}, set(), id="the case of an id counts"),
    pytest.param({"session_id": "docs", "scope": "session", "context": HERE}, {"docs.q"}, id="session wins over scope"),
    pytest.param({"scope": "session", "context": HERE}, {"web.q", "web.a"}, id="scope session"),
    pytest.param(
        {"scope": "project", "context": HERE}, EVERYTHING - {"docs.q", "far.q", "far.s"}, id="scope project by its id"
    ),
    pytest.param(
        {"scope": "project", "context": Context(directory="/srv/harbor/")},
        EVERYTHING - {"docs.q", "far.q", "far.s"},
        id="scope project by folder, on a path boundary",
    ),
    pytest.param(
        {"scope": "project", "context": Context(worktree="/srv/harbor", directory="/elsewhere")},
        EVERYTHING - {"docs.q", "far.q", "far.s"},
        id="scope project by worktree",
    ),
    pytest.param({"project": "docs"}, {"docs.q"}, id="project"),
    pytest.param({"title": "FLICK"}, EVERYTHING - {"web.q", "web.a", "docs.q", "far.q", "far.s"}, id="title"),
    pytest.param({"title": "no such"}, set(), id="unknown title"),
    pytest.param({"directory": "/srv/harbor/web"}, {"web.q", "web.a"}, id="directory"),
    pytest.param({"directory": "/srv//harbor/"}, EVERYTHING - {"docs.q", "far.q", "far.s"}, id="directory above"),
    pytest.param({"directory": "/srv/harbor/we"}, set(), id="directory on a path boundary"),
    pytest.param({"directory": "C:/trade"}, {"far.q", "far.s"}, id="backslashes"),
    pytest.param({"directory": "/"}, EVERYTHING - {"far.q", "far.s"}, id="the root holds all rooted ones"),
    pytest.param({"directory": "/srv/harbor/web", "fallback": True}, EVERYTHING, id="fallback drops nothing"),
    pytest.param({"exclude_session_ids": ["api", "far"]}, {"web.q", "web.a", "docs.q"}, id="excluded"),
    pytest.param({"must": ["wick"]}, {"api.read", "api.a"}, id="must"),
    pytest.param({"must": ["WICK", "dry"]}, {"api.a"}, id="must all of them, whatever the case"),
    pytest.param({"must": ["wick ="]}, {"api.read"}, id="must as it is written"),
    pytest.param({"must_not": ["WICK", "page"]}, EVERYTHING - {"api.read", "api.a", "web.q", "web.a"}, id="must not"),
    pytest.param({"must": ["lantern"], "must_not": ["page", "flicker"]},
                 {"api.tool", "api.read", "api.a", "docs.q", "far.q", "far.s"}, id="must and must not"),
    pytest.param({"since": "1d"}, {"api.q", "api.thought", "api.tool", "api.read", "api.a", "api:title"}, id="since"),
    pytest.param({"until": "1w"}, {"far.q", "far.s"}, id="until; the unknown time is long ago"),
    pytest.param({"after": NOW - 2 * DAY_MS, "before": NOW - 3 * HOUR_MS}, {"web.a"}, id="bounds are exclusive"),
    pytest.param({"since": "10d", "until": "1d"}, {"web.q", "web.a", "docs.q"}, id="a window"),
    pytest.param({"last": "3d", "role": "assistant", "type": "text"}, {"api.a", "web.a"}, id="three filters"),
    pytest.param({"sessions": 1}, EVERYTHING - {"web.q", "web.a", "docs.q", "far.q", "far.s"}, id="the newest session"),
    pytest.param({"sessions": 3}, EVERYTHING - {"far.q", "far.s"}, id="the three newest"),
    pytest.param({"sessions": 1, "exclude_session_ids": ["api"]}, {"web.q", "web.a"}, id="of those that stay"),
    pytest.param({"sessions": 1, "directory": "/srv/harbor-docs", "fallback": True}, {"docs.q"}, id="the nearest"),
    pytest.param({"sessions": 2, "directory": "/srv/harbor/api", "role": "user"}, {"api.q", "api:title"}, id="fewer"),
]  # fmt: skip


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize(("options", "expected"), ROWS)
def test_a_filter_keeps(index: Index, options: dict[str, Any], expected: set[str], match: str) -> None:
    hits = found(index, "lantern", match=match, **options)
    ranked_only = {"web:title", "docs:title"}  # a ranked hit by their folder's name at most
    assert hits - ranked_only == expected


@pytest.mark.parametrize(("options", "expected"), ROWS)
def test_counts_add_up(index: Index, options: dict[str, Any], expected: set[str]) -> None:
    coverage = ask(index, "lantern", **options).coverage
    for count, known in ((coverage.sessions, 4), (coverage.messages, 7), (coverage.parts, 10)):
        assert count.known == known
        assert count.known == count.eligible + sum(count.skipped.values())
        assert count.eligible == count.searched + count.not_reached
        assert count.not_reached == 0
    assert coverage.parts.eligible >= len([key for key in expected if not key.endswith(":title")])


@pytest.mark.parametrize(
    ("options", "skipped", "limited"),
    [
        ({}, {}, ()),
        ({"session_id": "web"}, {"session_id": 3}, ("session_id",)),
        ({"scope": "project", "context": HERE}, {"scope": 2}, ("scope",)),
        ({"session_prefix": "we"}, {"session_prefix": 3}, ("session_prefix",)),
        ({"project": "docs"}, {"project": 3}, ("project",)),
        ({"title": "colour"}, {"title": 3}, ("title",)),
        ({"directory": "/srv/harbor"}, {"directory": 2}, ("directory",)),
        ({"exclude_session_ids": ["far"]}, {"excluded": 1}, ()),
        ({"sessions": 1}, {"sessions_limit": 3}, ("sessions_limit",)),
        ({"sessions": 9}, {}, ()),
        ({"since": "1d"}, {}, ("time",)),
    ],
)
def test_why_sessions_were_skipped(
    index: Index, options: dict[str, Any], skipped: dict[str, int], limited: Any
) -> None:
    coverage = ask(index, "lantern", **options).coverage
    assert coverage.sessions.skipped == skipped
    assert coverage.limited_by == limited


# the sessions api, web, docs and far have 5, 2, 1 and 2 parts, in 2, 2, 1 and 2 messages
WHY_LEFT_OUT = [
    ({}, {}, {}),
    ({"session_id": "web"}, {"session_id": 5}, {"session_id": 8}),
    ({"session_id": "nowhere"}, {"session_id": 7}, {"session_id": 10}),
    ({"scope": "session", "context": HERE}, {"scope": 5}, {"scope": 8}),
    ({"scope": "project", "context": HERE}, {"scope": 3}, {"scope": 3}),
    ({"project": "docs"}, {"project": 6}, {"project": 9}),
    ({"title": "colour"}, {"title": 5}, {"title": 8}),
    ({"directory": "/srv/harbor"}, {"directory": 3}, {"directory": 3}),
    ({"directory": "/srv/harbor", "fallback": True}, {}, {}),
    ({"exclude_session_ids": ["far"]}, {"excluded": 2}, {"excluded": 2}),
    ({"sessions": 1}, {"sessions_limit": 5}, {"sessions_limit": 5}),
    ({"role": "user"}, {"role": 3}, {"role": 6}),
    ({"since": "1d"}, {"time": 5}, {"time": 5}),
    ({"until": "1w"}, {"time": 5}, {"time": 8}),
    ({"type": "tool"}, {}, {"type": 8}),
    ({"type": "reasoning"}, {}, {"type": 9}),
    ({"tool_name": "bash"}, {}, {"tool_name": 9}),
    ({"tool_name": "bash", "type": "tool"}, {}, {"type": 8, "tool_name": 1}),
    ({"session_prefix": "we"}, {"session_prefix": 5}, {"session_prefix": 8}),
    ({"must": ["wick"]}, {}, {"must": 8}),
    ({"must": ["wick", "zinc"]}, {}, {"must": 10}),
    ({"role": "user", "must_not": ["manual"]}, {"role": 3}, {"role": 6, "must_not": 1}),
    ({"must": ["wick"], "must_not": ["wick"]}, {}, {"must": 8, "must_not": 2}),
    ({"files": ["zinc.py"]}, {}, {"file": 10}),
    ({"project": "docs", "role": "assistant"}, {"project": 6, "role": 1}, {"project": 9, "role": 1}),
    ({"scope": "project", "context": HERE, "role": "user"}, {"scope": 3, "role": 2}, {"scope": 3, "role": 5}),
]


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy", "regex"])
@pytest.mark.parametrize(("options", "messages", "parts"), WHY_LEFT_OUT)
def test_messages_and_parts_are_left_out_for_the_true_reason(
    index: Index, options: dict[str, Any], messages: dict[str, int], parts: dict[str, int], match: str
) -> None:
    coverage = ask(index, "lantern", match=match, **options).coverage
    assert coverage.messages.skipped == messages
    assert coverage.parts.skipped == parts
    session_reasons = set(SESSION_REASONS)
    assert coverage.sessions.skipped.keys() == parts.keys() & session_reasons


@pytest.mark.parametrize(("options", "messages", "parts"), WHY_LEFT_OUT)
def test_several_segments_leave_out_for_equal_reasons(
    options: dict[str, Any], messages: dict[str, int], parts: dict[str, int]
) -> None:
    gone = session("gone", "a lantern that was deleted")
    segments = [build([each]) for each in histories()] + [build([gone])]
    coverage = ask(index_of_segments(segments, [(), (), (), (), (0,)]), "lantern", **options).coverage
    assert coverage.messages.skipped == messages
    assert coverage.parts.skipped == parts


@pytest.mark.parametrize(("sessions", "kinds"), [(1, ("budget",)), (4, ()), (9, ())])
def test_a_limit_on_sessions_is_a_degraded_answer(index: Index, sessions: int, kinds: tuple[str, ...]) -> None:
    response = ask(index, "lantern", sessions=sessions)
    assert tuple(response.degrade_kinds) == kinds
    assert response.degrade_kind == (kinds[0] if kinds else "none")


def test_the_nearest_directory_comes_first(index: Index) -> None:
    response = ask(index, "lantern", directory="/srv/harbor/web", fallback=True, context=HERE, results=50)
    buckets = [result.directory_relevance for result in response.results]
    assert buckets == sorted(buckets, key=["exact", "project", "global"].index)
    by_session = {result.session_id: result.directory_relevance for result in response.results}
    assert by_session == {"web": "exact", "api": "project", "docs": "global", "far": "global"}
    assert response.coverage.directory_buckets == {name: buckets.count(name) for name in dict.fromkeys(buckets)}


def test_without_a_context_everything_else_is_global(index: Index) -> None:
    response = ask(index, "lantern", directory="/srv/harbor/web", fallback=True)
    assert {result.directory_relevance for result in response.results} == {"exact", "global"}
    assert {result.directory_relevance for result in ask(index, "lantern").results} == {"unknown"}


def test_a_title_is_found_when_a_message_of_its_session_passes(index: Index) -> None:
    hit = next(r for r in ask(index, "flicker", role="assistant", match="literal").results if r.source == "title")
    assert hit.message_id == "api.act"
    assert "api:title" not in found(index, "flicker", since="1h")


def test_words_outside_the_eligible_set_repair_no_word() -> None:
    index = Index.build([session("a", "the lantren is dark"), session("b", "nothing here")])
    assert found(index, "lantern") == {"a.0.1"}
    assert found(index, "lantern", session_id="b") == set()
    assert not ask(index, "lantern", session_id="b").suggestions or "lantren" not in str(
        ask(index, "lantern", session_id="b").suggestions
    )


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a", "/a/", True),
        ("/ab", "/a", False),
        ("/A/b", "/a", False),
        ("C:\\x\\y", "c:/x", False),
        ("C:\\x\\y", "C:/x", True),
        ("/a", "/", True),
        ("a", "/", False),
        ("/a", "", False),
        ("", "", False),
        ("/w/acme/../secret", "/w/acme", False),
        ("/w/secret/../acme/api", "/w/acme", True),
        ("/w/acme", "/w/secret/../acme", True),
        ("C:\\w\\acme\\..\\secret", "C:\\w\\acme", False),
    ],
)
def test_inside(path: str, folder: str, expected: bool) -> None:
    assert inside(path, folder) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (" /a//b/ ", "/a/b"),
        ("\\\\host\\share\\", "/host/share"),
        ("/", "/"),
        ("///", "/"),
        ("", ""),
        ("  ", ""),
        ("/a/./b/../c", "/a/c"),
        ("/a/../../b", "/b"),
        ("/..", "/"),
        ("../a", "../a"),
        ("a/../../b/..", ".."),
        ("a/..", "."),
        ("./a", "a"),
        ("/a/...", "/a/..."),
        ("C:\\a\\..\\..\\b", "C:/b"),
        ("\\\\host\\share\\..\\..\\b", "/host/share/b"),
    ],
)
def test_normal_path(path: str, expected: str) -> None:
    assert normal_path(path) == expected


def test_empty_parts_count_too() -> None:
    index = Index.build([session("s", message("m", Part("p", "step-start"), part("q", "lantern")))])
    assert ask(index, "lantern").coverage.parts.known == 2
    assert parts(ask(index, "lantern")) == ["q"]


def test_a_filter_is_asked_once_for_each_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = session_filters.is_named

    def counted(row: SessionRow, name: str) -> bool:
        asked.append(row.id)
        return real(row, name)

    monkeypatch.setattr(session_filters, "is_named", counted)
    history = [session(f"s{n}", "the lantern", directory=f"/srv/{n % 3}", updated=NOW - n) for n in range(30)]
    history += [session("at", "the lantern", directory="/srv/0", agent="codex", updated=NOW - 99)]
    for index in (Index.build(history), index_of_segments([build(history[::2]), build(history[1::2])])):
        asked.clear()
        response = ask(index, "lantern", project="0", results=50)
        assert len(asked) == 4
        assert {hit.session_id for hit in response.results} == {"at", *(f"s{n}" for n in range(0, 30, 3))}
        assert response.coverage.sessions.skipped == {"project": 20}

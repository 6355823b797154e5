"""The lines of a search for people: three lines per hit and a summary of what was searched."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.corpus import Index
from recall_rank.frontends.cli.browse.entries import entry_of_hit, list_line
from recall_rank.frontends.cli.output.console import print_lines
from recall_rank.frontends.cli.output.display import Display
from recall_rank.frontends.cli.output.hit_layout import compact_lines, one_hit_line
from recall_rank.frontends.cli.output.render import rendered
from recall_rank.frontends.cli.output.search_lines import MATCH_STYLE, answer_lines, closing_lines, hit_lines, marked
from recall_rank.frontends.display_text import age, utc_minute
from recall_rank.histories.source_reports import with_reports
from recall_rank.model import Context, CopyPlace, Count, ReadFailure, Result, SourceReport, Span
from tests.frontends.conftest import Run
from tests.support.frontends.harbor import BEES, FERRIES, HERE, TIDES
from tests.support.frontends.harbor import NOW as HARBOR_NOW
from tests.support.frontends.samples import NOW, full_response, hit, response

MINUTE = 60_000
DAY = 86_400_000


def text_of(lines: object) -> str:
    stream = io.StringIO()
    print_lines(lines, stream)  # type: ignore[arg-type]
    return stream.getvalue()


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (0, "just now"),
        (5 * MINUTE, "5 min ago"),
        (90 * MINUTE, "1 h ago"),
        (47 * 60 * MINUTE, "47 h ago"),
        (3 * DAY, "3 days ago"),
        (15 * DAY, "2 weeks ago"),
        (70 * DAY, "2 months ago"),
        (800 * DAY, "2 years ago"),
        (-5 * MINUTE, "5 min ahead"),
        (NOW, "time unknown"),
    ],
)
def test_ages(distance: int, words: str) -> None:
    assert age(NOW - distance, NOW) == words


def test_utc_minutes() -> None:
    assert utc_minute(NOW) == "2026-05-28 20:26 UTC"
    assert utc_minute(0) == ""
    assert utc_minute(10**18) == ""


@given(st.integers(0, 10**19), st.integers(0, 10**19))
def test_any_time_has_an_age(time: int, now: int) -> None:
    assert age(time, now)
    utc_minute(time)


def test_a_hit_takes_three_lines_and_one_to_reopen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_dir", lambda path: str(path) == "/srv/harbor")
    where, snippet, why, again = text_of(hit_lines(hit(), 1, NOW)).splitlines()
    assert where == " 1. Limits · assistant · 2 h ago (2026-05-28 18:26 UTC) · /srv/harbor · opencode"
    assert snippet == "    the rate limit is sixty"
    assert why == "    rate, limit in text · high confidence · s1 · m1"
    assert again == "    reopen: cd /srv/harbor && opencode --session s1"
    assert len(text_of(hit_lines(hit(history="history"), 1, NOW)).splitlines()) == 3
    assert len(text_of(hit_lines(hit(directory="/srv/gone"), 1, NOW)).splitlines()) == 3


@pytest.mark.parametrize("degree", ["high", "medium", "low"])
def test_a_hit_says_how_sure_it_is_once_and_without_a_number(degree: str) -> None:
    result = replace(hit(), why=replace(hit().why, confidence=degree))
    for lines in (hit_lines(result, 1, NOW), compact_lines(response([result]), NOW, 0, Display(120, 40))):
        shown = text_of(lines)
        assert shown.count(f" · {degree} confidence") == 1
        assert "score" not in shown
    explained = text_of(hit_lines(replace(result, explain={"evidence": 0.75}), 1, NOW))
    assert (explained.count(f"{degree} confidence"), explained.count("score 0.750 = ")) == (1, 1)


def test_the_trace_of_an_explained_search_stands_behind_its_figures() -> None:
    traced = replace(response([hit()]), trace=("parse: words rate, limit", "score: passages measured \x1b[31m1"))
    lines = [line for line in text_of(closing_lines(traced)).splitlines() if line.startswith("trace")]
    assert lines == ["trace: parse: words rate, limit", "trace: score: passages measured \\x1b[31m1"]
    assert "trace" not in text_of(closing_lines(response([hit()])))


def test_a_hit_shows_all_its_fields() -> None:
    (result,) = full_response().results
    shown = text_of(hit_lines(result, 12, NOW))
    assert shown.splitlines()[0].startswith("12. Limits · sam · assistant · bash · ")
    assert "at least 3 hits in this session" in shown
    shown = text_of(hit_lines(replace(result, hit_count=1, hit_count_exact=False), 1, NOW))
    assert "in this session" not in shown  # which would say nothing
    assert "no longer in the agent's context" in shown
    assert "score 0.750 = evidence +0.700, phrase +0.050" in shown


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"source": "title", "part_type": "title"}, "Limits · title · "),
        ({"part_type": "reasoning"}, "assistant · reasoning"),
        ({"session_title": "", "session_id": "s7"}, " 1. s7 ·"),
        ({"session_title": "", "session_id": ""}, " 1. untitled ·"),
        ({"time": 0}, "time unknown · "),
    ],
)
def test_first_lines(changes: dict[str, object], words: str) -> None:
    assert words in text_of(hit_lines(hit(**changes), 1, NOW)).splitlines()[0]


def test_matches_are_marked() -> None:
    assert marked("the rate limit", hit().spans) == [
        ("the ", ""),
        ("rate", MATCH_STYLE),
        (" ", ""),
        ("limit", MATCH_STYLE),
    ]


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(-3, 40), st.integers(-3, 40)), max_size=6))
def test_marks_change_no_text_whatever_the_spans(snippet: str, pairs: list[tuple[int, int]]) -> None:
    spans = [Span(start, end, 0, 0) for start, end in pairs]
    blanks = str.maketrans(dict.fromkeys("\t\n\r ", ""))
    whole = "".join(text for text, _ in marked(snippet, []))
    cut = "".join(text for text, _ in marked(snippet, spans))
    assert cut.translate(blanks) == whole.translate(blanks)


def test_colour_only_where_asked() -> None:
    stream = io.StringIO()
    print_lines(hit_lines(hit(), 1, NOW), stream, colour=True)
    assert "\x1b[1;33mrate\x1b[0m" in stream.getvalue()
    assert "\x1b" not in text_of(hit_lines(hit(), 1, NOW))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_a_terminal_gets_colour_unless_it_asks_for_none(
    monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    stream = Terminal()
    print_lines(hit_lines(hit(), 1, NOW), stream)
    assert ("\x1b[" in stream.getvalue()) == coloured


@pytest.mark.parametrize(
    ("changes", "offset", "words"),
    [
        ({}, 0, "2 hits · searched 2 of 3 sessions, 12 parts in 1.5 ms"),
        ({"total": 40, "truncated": True}, 0, "1-2 of 40 hits (next: --offset 2) ·"),
        (
            {"total": 1234, "total_exact": False, "truncated": True},
            10,
            "11-12 of at least 1,234 hits (next: --offset 12)",
        ),
        ({"group": "session"}, 0, "2 sessions ·"),
        ({"total": 12}, 10, "11-12 of 12 hits ·"),
        ({"results": (), "total": 5}, 10, "None left of 5 hits ·"),
        ({"results": (), "total": 0}, 0, "No hits ·"),
    ],
)
def test_the_closing_line(changes: dict[str, object], offset: int, words: str) -> None:
    answer = replace(response([hit(), hit()]), **changes)  # type: ignore[arg-type]
    assert text_of(closing_lines(answer, offset)).startswith(words)


def test_without_hits_and_with_a_source_that_failed_the_closing_line_says_that_not_all_was_read() -> None:
    answer = full_response()
    coverage = replace(answer.coverage, limited_by=("load_error",))
    shown = text_of(closing_lines(replace(answer, results=(), total=0, coverage=coverage), 0))
    assert shown.startswith("No hits in what could be read ·")


def test_skipped_sessions_and_parts_are_reported() -> None:
    answer = full_response()
    coverage = replace(
        answer.coverage,
        parts=Count(17, 12, 7, {"directory": 2, "must": 1, "must_not": 3}),
        per_source=(*answer.coverage.per_source, SourceReport("codex", "/x", failures=(ReadFailure("", "no"),))),
    )
    shown = text_of(answer_lines(replace(answer, coverage=coverage), NOW)).splitlines()
    assert [line for line in shown if "searched" in line] == [
        "1 hit · searched 2 of 3 sessions, 7 of 17 parts, 1 of 2 sources in 1.5 ms"
    ]
    for line in (
        "left out by directory: 1 session, 2 parts; by required text: 1 part; by unwanted text: 3 parts",
        "not reached: 5 parts",
        "the time budget was used up: the answer came late, or is not complete",
        "no word matched; these contain the text as it stands",
        "not read: opencode: locked",
        "note: odd",
        "close: rat (one edit away)",
        "try: match smart",
    ):
        assert line in shown


def test_notes_on_sources_are_counted_and_errors_shortened() -> None:
    reports = [SourceReport("codex", f"/{number}", warnings=(f"odd {number}",)) for number in range(20)]
    answer = with_reports(
        replace(response([hit()]), warnings=("about this search",), load_errors=("no",) * 30),
        reports,
    )
    lines = text_of(closing_lines(answer)).splitlines()
    told = [line for line in lines if line.startswith("note: ")]
    assert told[0] == "note: about this search"
    assert told[1:] == ["note: 20 notes about sources: see recall-rank sources"]
    assert sum(line.startswith("not read: ") for line in lines) == 9
    assert "not read: and 22 more: recall-rank sources says all" in lines


def test_skip_reasons_are_shown_as_words() -> None:
    answer = response([hit()])
    coverage = replace(answer.coverage, sessions=Count(9, 1, 1, {"sessions_limit": 8}))
    assert "left out by sessions limit: 8 sessions" in text_of(closing_lines(replace(answer, coverage=coverage)))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"session_id": "ferry-times"}, "session"),
        ({"scope": "session", "context": HERE}, "scope"),
        ({"scope": "project", "context": replace(HERE, project="p-hives", directory="/x", worktree="/x")}, "scope"),
        ({"project": "p-hives"}, "project"),
        ({"title": "calls"}, "title"),
        ({"directory": "/home/ana/hives"}, "directory"),
        ({"exclude_session_ids": ["bee-hives"]}, "excluded"),
        ({"sessions": 1}, "sessions limit"),
        ({"role": "user"}, "role"),
        ({"since": "1d"}, "time"),
        ({"type": "tool"}, "type"),
        ({"tool_name": "bash"}, "tool"),
        ({"session_prefix": "ferry"}, "session prefix"),
        ({"must": ["noon"]}, "required text"),
        ({"must_not": ["ferry 3"]}, "unwanted text"),
        ({"files": ["gauge.log"]}, "file"),
        (
            {"context": Context("tide-tables", in_context=("tt1",))},
            "messages that are still in context",
        ),
    ],
)
@pytest.mark.parametrize("match", ["literal", "smart"])
def test_parts_are_left_out_for_one_true_reason(options: dict[str, Any], reason: str, match: str) -> None:
    answer = Index.build([TIDES, FERRIES, BEES]).search("noon", match=match, now=HARBOR_NOW, **options)  # type: ignore[misc]
    count = sum(answer.coverage.parts.skipped.values())
    (line,) = (line for line in text_of(closing_lines(answer)).splitlines() if "left out" in line)
    parts = f"{count} part{'s' if count != 1 else ''}"
    assert line in (f"left out by {reason}: {parts}", f"left out by {reason}: 1 session, {parts}",
                    f"left out by {reason}: 2 sessions, {parts}")  # fmt: skip


def title_hit(title: str, word: str, snippet: str | None = None) -> Result:
    """A hit on the title of a session, in which a word matches."""
    shown, at = title if snippet is None else snippet, title.index(word)
    start = shown.index(word)
    span = Span(start, start + len(word), at, at + len(word))
    return hit(session_title=title, title_match=title, snippet=shown, spans=(span,), source="title", field="title")


LONG_TITLE = "Rate limiting for the booking API and what it does to partners who poll. " * 4


@pytest.mark.parametrize(
    "result",
    [
        title_hit("Rate limiting for the booking API", "limiting"),
        title_hit(LONG_TITLE, "limiting", f"{LONG_TITLE[:100]}..."),
        title_hit("Rate\x1b[2J limiting", "limiting"),
    ],
    ids=["short", "long", "odd"],
)
def test_a_hit_on_a_title_has_its_title_once_with_the_match(result: Result) -> None:
    lines = list(hit_lines(result, 1, NOW))
    assert [text for line in lines for text, style in line if MATCH_STYLE in style] == ["limiting"]
    shown = text_of(lines)
    assert shown.count("limiting") == result.session_title.count("limiting")
    assert " · title · 2 h ago" in shown
    assert "assistant" not in shown
    assert len(lines) == 2
    assert "\x1b" not in shown


@pytest.mark.parametrize(
    ("title", "word", "rows"), [("Rate limiting for the booking API", "limiting", 1), (LONG_TITLE, "partners", 2)]
)
def test_a_hit_on_a_title_in_short_forms(title: str, word: str, rows: int) -> None:
    display = Display(80, 24)
    result = title_hit(title, word)
    lines = list(compact_lines(response([result]), NOW, 0, display))[
        : -len(list(closing_lines(response([result]), 0, display)))
    ]
    assert len(lines) == rows  # a title that is cut has its match on the second
    assert [text for line in lines for text, style in line if MATCH_STYLE in style] == [word]
    assert all(len(text) <= 80 for text in rendered(lines, display))
    assert " · title · 2 h ago" in next(rendered(lines, display))
    line = one_hit_line(result, 1, NOW, 80)
    assert len("".join(text for text, _ in line)) <= 80
    assert [text for text, style in line if MATCH_STYLE in style] == [word]
    whole = "".join(text for text, _ in one_hit_line(result, 1, NOW, None))
    assert whole.count(word) == title.count(word)


def test_a_text_that_is_the_title_is_shown_once() -> None:
    text = "Add a rate  limit\nto the API"
    result = hit(session_title="Add a rate limit to the API", snippet=text, spans=(Span(6, 10, 6, 10),))
    lines = list(hit_lines(result, 1, NOW))
    assert [text for line in lines for text, style in line if MATCH_STYLE in style] == ["rate"]
    assert len(lines) == 2
    assert "assistant" in text_of(lines)
    display = Display(80, 24)
    compact = list(compact_lines(response([result]), NOW, 0, display))
    assert "".join(text for text, _ in compact[1]).startswith("1 hit")
    assert text_of([one_hit_line(result, 1, NOW, None)]).count("rate") == 1
    longer = replace(result, snippet=f"{text}, please")
    assert len(list(hit_lines(longer, 1, NOW))) == 3


def test_a_hit_on_a_title_by_the_engine(run: Run) -> None:
    lines = run("search", "Rate limiting for the booking API", "--history", "demo", "--no-cache").stdout.splitlines()
    assert sum(line.strip() == "Rate limiting for the booking API" for line in lines) == 0
    assert any("Rate limiting for the booking API · title · " in line for line in lines)


def test_a_hit_names_its_copies() -> None:
    (result,) = full_response().results
    assert "    also in: specstory · page · page:3" in text_of(hit_lines(result, 1, NOW)).splitlines()


def test_a_hit_that_many_are_like_tells_how_many() -> None:
    result = hit(also_in=[CopyPlace("demo", f"s{at}", f"m{at}", f"p{at}") for at in range(1_005)])
    lines = text_of(hit_lines(result, 1, NOW)).splitlines()
    named = [line.strip() for line in lines if "also in" in line]
    assert named == ["also in: demo · s0 · m0", "also in: demo · s1 · m1"]
    assert "    +1,003 like this" in lines
    display = Display(80, 24)
    assert " · +1,005 like this" in next(rendered(compact_lines(response([result]), NOW, 0, display), display))
    line = "".join(text for text, _ in one_hit_line(result, 1, NOW, 80))
    assert (" · +1,005 like this · " in line, len(line) <= 80) == (True, True)
    line = "".join(text for text, _ in list_line(entry_of_hit(result), NOW, 80, is_marked=False))
    assert (" · +1,005 like this · " in line, len(line) <= 80) == (True, True)
    assert "like this" not in text_of(compact_lines(response([hit()]), NOW, 0, display))

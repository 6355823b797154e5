"""Whole searches over one fixed history rank the part first that a person would want."""

from __future__ import annotations

from typing import Any

import pytest

from recall_rank.corpus import Index
from tests.support.search.samples import ask, found, parts
from tests.support.search.small_corpus import NOW, sessions


@pytest.fixture(scope="module")
def index() -> Index:
    return Index.build(sessions())


FIRST = [
    # words
    ("rate limiter", {}, "limiter"),
    ("token bucket burst", {}, "limiter"),
    ("flaky test", {}, "flaky"),
    ("double booked seats race condition", {}, "seats"),
    ("docker image smaller", {}, "docker"),
    ("exponential backoff jitter", {}, "retry"),
    ("structured logging json lines", {}, "logs"),
    ("idempotent webhook", {}, "webhook"),
    # questions
    ("what did we decide about webhooks that arrive twice?", {}, "webhook"),
    ("why are users logged out on safari", {}, "cookies"),
    ("how did we get CI under 10 minutes", {}, "ci"),
    ("why was the report worker killed", {}, "memory"),
    ("how long are backups kept", {}, "backup"),
    # identifiers, in any spelling
    ("TokenBucketLimiter", {}, "limiter"),
    ("token_bucket_limiter", {}, "limiter"),
    ("tokenbucketlimiter", {}, "limiter"),
    ("parse_clock", {}, "parser"),
    ("refresh_token", {}, "cookies"),
    ("fetch weather feed", {}, "retry"),
    ("round_price", {}, "prices"),
    ("RATE_LIMIT_PER_MINUTE", {}, "limiter"),
    ("lock_timeout", {}, "migration"),
    # misspelt
    ("rate limitter", {}, "limiter"),
    ("flakey departure bord", {"match": "fuzzy"}, "flaky"),
    ("alembik upgarde", {}, "migration"),
    ("idempotnet", {}, "webhook"),
    ("strcutlog", {}, "logs"),
    ("fetchWaetherFeed", {}, "retry"),
    # error lines
    ("error[E0502]: cannot borrow `harmonics` as mutable", {}, "borrow"),
    ("E0502", {}, "borrow"),
    ("canceling statement due to lock timeout", {}, "migration"),
    ("ValueError: hour must be in 0..23", {}, "parser"),
    ("Out of memory: Killed process", {}, "memory"),
    ("blocked by CORS policy", {}, "cors"),
    ("httpx.ConnectTimeout: timed out", {}, "retry"),
    ("Merge conflict in uv.lock", {}, "merge"),
    # paths
    ("api/limiter.py", {}, "limiter"),
    ("web/auth.ts", {}, "cookies"),
    ("ferry/timetable_parser.py line 88", {}, "parser"),
    # in the middle of a long output
    ("unused lifetime 'buoy", {}, "borrow"),
    ("quay_27 warning", {}, "borrow"),
    # other languages
    ("Buchungsseite übersetzen", {}, "german"),
    ("FAHRZEUGGROSSE", {}, "german"),
    ("verbindlich buchen", {}, "german"),
    ("時刻表", {}, "japanese"),
    ("文字化け", {}, "japanese"),
    ("予約", {}, "japanese"),
    ("🚢", {}, "emoji"),
    ("⛔ cancelled", {}, "emoji"),
    # modes
    ("200 passed", {"match": "literal"}, "flaky"),
    ('sameSite: "lax"', {"match": "literal"}, "cookies"),
    ("SKIP LOCKED", {"match": "literal"}, "seats"),
    (r"E0\d{3}", {"match": "regex"}, "borrow"),
    (r"total-vm:\d+kB", {"match": "regex"}, "memory"),
    (r"parse_?[Cc]lock\b", {"match": "regex", "type": "tool"}, "parser"),
    # filters
    ("lock", {"directory": "/srv/ferry", "since": "6d"}, "seats"),
    ("cargo", {"tool_name": "bash"}, "borrow"),
    ("timeout", {"directory": "/srv/tides"}, "retry"),
    ("limits", {"project": "ferry-docs", "match": "fuzzy"}, None),
    ("quotas", {}, "limits-docs"),
    ("race condition", {"type": "reasoning"}, "seats"),
    ("payment provider", {"role": "user"}, "webhook"),
]


@pytest.mark.parametrize("group", ["part", "session"])
@pytest.mark.parametrize(("query", "options", "expected"), [pytest.param(*row, id=row[0]) for row in FIRST])
def test_the_session_that_is_meant_comes_first(
    index: Index, query: str, options: dict[str, Any], expected: str | None, group: str
) -> None:
    response = ask(index, query, group=group, **{**options, "now": NOW})
    assert (response.results[0].session_id if response.results else None) == expected


PART = [
    ("AssertionError: assert '06:00' == '07:00'", "flaky.1.1"),
    ("pytest -k departure_board --count 200", "flaky.5.1"),
    ("sliding window needs more memory", "limiter.1.1"),
    ("backfill in batches of 1000", "migration.1.1"),
    ("Verbindlich buchen", "german.3.1"),
    ("peak memory is 180 MB", "memory.2.1"),
    ("python:3.12-slim", "docker.1.1"),
    ("List every caller of parseClock", "survey.0.1"),
    ("pg_dump runs at 02:30", "backup.1.1"),
    ("OR-tools hard constraint consecutive nights", "crew.1.1"),
]


@pytest.mark.parametrize("match", ["smart", "fuzzy"])
@pytest.mark.parametrize(("query", "expected"), PART)
def test_a_sentence_finds_its_part(index: Index, query: str, expected: str, match: str) -> None:
    assert parts(ask(index, query, match=match))[0] == expected


def test_a_quotation_is_surely_relevant(index: Index) -> None:
    sure = ask(index, "canceling statement due to lock timeout").results[0]
    unsure = ask(index, "how did we get a lock on the weather in yen").results[0]
    assert sure.why.confidence == "high"
    assert sure.score > unsure.score


@pytest.mark.parametrize("query", ["nobody spoke of volcanoes, pirates and mermaids", "volcano pirates lock mermaid"])
def test_one_common_word_of_many_is_no_sure_answer(index: Index, query: str) -> None:
    assert all(hit.why.confidence != "high" for hit in ask(index, query).results)


@pytest.mark.parametrize("query", ["volcano", "kubernetes ingress", "zzzz", "量子力学"])
def test_what_was_never_said_is_not_found(index: Index, query: str) -> None:
    response = ask(index, query)
    assert not response.results
    assert response.answerable == 0


def test_what_recall_said_is_not_found_again(index: Index) -> None:
    assert not any(key.startswith("recalled.1") for key in found(index, "token bucket"))


def test_the_snippet_shows_the_line_that_matters(index: Index) -> None:
    hit = ask(index, "unused lifetime buoy").results[0]
    assert "[0512] warning: unused lifetime 'buoy in module quay_27" in hit.snippet
    assert hit.field == "stdout"
    assert {hit.snippet[span.start : span.end] for span in hit.spans} >= {"unused", "lifetime", "buoy"}


def test_the_script_has_the_size_it_says(index: Index) -> None:
    assert ask(index, "ferry").coverage.sessions.known == 25
    assert len(FIRST) + len(PART) >= 40

"""`recall-rank demo`, with the real engine and loader."""

from __future__ import annotations

import json

import pytest

from recall_rank.frontends.demo import kitewatch
from tests.frontends.conftest import Run


def titles(run: Run, *words: str) -> list[str]:
    result = run("demo", *words, "--json")
    assert result.exit_code == 0, result.output
    return [hit["session_title"] for hit in json.loads(result.stdout)["results"]]


def test_the_default_query_ends_with_ranked_hits_on_the_screen(run: Run) -> None:
    result = run("demo")
    assert result.exit_code == 0, result.output
    first, snippet, why, blank = result.output.splitlines()[:4]
    assert first.startswith(" 1. Rate limiting for the booking API · ")
    assert "days ago (2026-11-18" in first
    assert "rate" in snippet.lower()
    assert "rate" in why
    assert blank == ""
    assert " · searched 12 sessions, 64 parts, 1 source in " in result.output


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("rate limit", "Rate limiting for the booking API"),
        ("rateLimit", "Rate limiting for the booking API"),
        ("rate lmit", "Rate limiting for the booking API"),
        ("burst token bucket", "Rate limiting for the booking API"),
        ("safari cookie", "Session cookie lost after login on Safari"),
        ("sesion_cookie", "Session cookie lost after login on Safari"),
        ("E0502", "Borrow checker in the reading buffer"),
        ("not-null violation family name", "Migration 0042: split member names"),
        ("reserve seat race", "Flaky test: sailing capacity under load"),
        ("muller umlaut", "Bank import stops at umlauts"),
        ("heap out of memory", "Image builds run out of memory"),
        ("why did we reject raster tiles", "Choosing a map library"),
        ("exponential backoff jitter", "Upload retries and back-off"),
    ],
)
def test_half_remembered_words_find_their_session_first(run: Run, query: str, title: str) -> None:
    assert titles(run, query)[0] == title


def test_filters_work_in_the_demo(run: Run) -> None:
    kites = {story.title for story in kitewatch.STORIES}
    assert set(titles(run, "rate limit", "--project", "kitewatch")) <= kites
    assert len(titles(run, "rate limit", "-n", "2", "--group", "session")) == 2
    assert run("demo", "rate limit", "--last", "1h").exit_code == 1
    assert run("demo", "zyzzyva", "-m", "literal").exit_code == 1
    assert run("demo", "rate", "--results", "0").exit_code == 2

"""Literal and regex mode: the text decides the hits."""

from __future__ import annotations

import builtins
from itertools import pairwise
from typing import Any

import pytest

from recall_rank.corpus import Index
from recall_rank.search.retrieval.literal import OVERLAP_BYTES, WINDOW_BYTES, windows
from tests.support.search.samples import DAY_MS, NOW, ask, found, marked, message, part, parts, session, texts

LITERAL = [
    pytest.param("Rate Limit", "the rate limit", True, id="case"),
    pytest.param("rate limit", "the rate  limit", False, id="blanks count"),
    pytest.param("rate limit", "the rate_limit", False, id="separators count"),
    pytest.param(" limit", "rate limit", True, id="a leading blank"),
    pytest.param("limit ", "rate limit", False, id="a blank behind"),
    pytest.param('"rate"', 'say "rate" now', True, id="quotes are characters"),
    pytest.param('"rate"', "say rate now", False, id="and must be there"),
    pytest.param("a\nb", "a\nb", True, id="line break"),
    pytest.param("nd of w", "end of words", True, id="inside of words"),
    pytest.param("\u212aelvin", "10 kelvin", True, id="a Kelvin sign is a k"),
    pytest.param("kelvin", "10 \u212aelvin", True, id="and the other way round"),
    pytest.param("i\u0307stanbul", "\u0130STANBUL", True, id="dotted capital I"),
    pytest.param("\u0130stanbul", "i\u0307STANBUL", True, id="and the other way round (I)"),
    pytest.param("istanbul", "\u0130STANBUL", False, id="a dot is not nothing"),
    pytest.param("οδος", "ΟΔΟΣ", True, id="capital sigma is final sigma"),
    pytest.param("ΟΔΟΣ ", "οδος εδώ", True, id="final sigma before a blank"),
    pytest.param("ΟΔΟΣ", "οδοσ", True, id="and any sigma"),
    pytest.param("ÄRGER", "der ärger", True, id="umlaut"),
    pytest.param("arger", "der ärger", False, id="accents count"),
    pytest.param("é", "e\u0301", False, id="forms count"),
    pytest.param("strasse", "straße", False, id="sharp s is no ss"),
    pytest.param("😀 ok", "all 😀 OK", True, id="astral"),
    pytest.param("制限", "レート制限", True, id="cjk"),
    pytest.param("\ud800x", "a\ud800x", True, id="lone surrogates are alike"),
    pytest.param("a\0b", "xa\0b", True, id="NUL"),
    pytest.param("aaab", "aaaaab", True, id="overlapping beginnings"),
    pytest.param("x" * 4096, "y" + "X" * 5000, True, id="a long needle"),
]


@pytest.mark.parametrize("match", ["literal", "smart", "fuzzy"])
@pytest.mark.parametrize(("query", "text", "expected"), LITERAL)
def test_a_literal_hit(query: str, text: str, expected: bool, match: str) -> None:
    index = texts("nothing of the kind", text, "and nothing here")
    if expected:
        assert "s.1.1" in found(index, query, match=match)
    elif match == "literal":
        assert found(index, query, match=match) == set()


@pytest.mark.parametrize(("query", "text", "expected"), LITERAL)
def test_the_snippet_of_a_literal_hit_marks_it(query: str, text: str, expected: bool) -> None:
    if expected:
        result = ask(texts(text), query, match="literal", width=10_000).results[0]
        assert len(marked(result)) == 1
        span = result.spans[0]
        repaired = text.replace("\ud800", "\ufffd")
        assert marked(result) == [repaired[span.text_start : span.text_end]]


def fielded() -> Index:
    tool = part("p", tool="bash", input={"command": "make all", "env": "DEBUG"}, error="no rule", output="stopped here")
    return Index.build([session("s", message("m", tool), title="Build")])


@pytest.mark.parametrize(
    ("query", "field"),
    [("make all", "command"), ("debug", "input"), ("no rule", "stderr"), ("stopped", "stdout"), ("build", "title")],
)
def test_each_field_is_searched_and_named(query: str, field: str) -> None:
    result = ask(fielded(), query, match="literal").results[0]
    assert result.field == field
    assert list(result.why.matched_fields) == [field]


@pytest.mark.parametrize("query", ["allDEBUG", "all DEBUG", "rulestopped", "rule stopped", "all\nDEBUG", "bash"])
@pytest.mark.parametrize("match", ["literal", "regex"])
def test_nothing_matches_across_fields(query: str, match: str) -> None:
    assert found(fielded(), query, match=match) == set()


def test_literal_ranks_by_relevance_or_by_time() -> None:
    in_passing = "many other things were said there " * 40 + "rate limit"
    index = Index.build(
        [session("new", in_passing, updated=NOW), session("old", "the rate limit", updated=NOW - DAY_MS)]
    )
    assert parts(ask(index, "rate limit", match="literal")) == ["old.0.1", "new.0.1"]
    assert parts(ask(index, "rate limit", match="literal", order="time")) == ["new.0.1", "old.0.1"]


# --- regular expressions -----------------------------------------------------------------------------

PATTERNS = [
    pytest.param(r"rate.?limit", "the Rate-Limit", True, id="case is ignored"),
    pytest.param(r"(?-i)rate", "the Rate", False, id="unless asked"),
    pytest.param(r"^the", "the rate", True, id="begin"),
    pytest.param(r"^rate", "the rate", False, id="not the begin"),
    pytest.param(r"rate$", "the rate", True, id="end"),
    pytest.param(r"(?m)^rate$", "the\nrate\nlimit", True, id="lines"),
    pytest.param(r"\brat\b", "the rate", False, id="word boundary"),
    pytest.param(r"E0\d{3}", "error e0502", True, id="digits"),
    pytest.param(r"größe", "die GRÖSSE Größe", True, id="beyond ascii"),
    pytest.param(r"^.{3}$", "日本語", True, id="a dot is a character"),
    pytest.param(r"\x{1F600}", "so 😀", True, id="astral"),
    pytest.param(r"x*", "nothing", True, id="empty matches match"),
    pytest.param(".", "\n", False, id="a dot is no line break"),
    pytest.param("a\0b", "a\0b", True, id="NUL"),
    pytest.param("\ud800+", "a\ud800", True, id="lone surrogates are alike"),
    pytest.param(r"[\[\]]{2}", "a[]", True, id="brackets"),
]


@pytest.mark.parametrize(("pattern", "text", "expected"), PATTERNS)
def test_a_pattern_matches_within_a_field(pattern: str, text: str, expected: bool) -> None:
    assert (found(texts(text), pattern, match="regex") == {"s.0.1"}) is expected


def test_a_pattern_s_match_is_marked_and_named() -> None:
    result = ask(
        texts("first " * 100 + "error E0502 here " + "last " * 100), r"E0\d+", match="regex", width=60
    ).results[0]
    assert marked(result) == ["E0502"]
    assert list(result.matched_terms) == ["E0502"]
    assert result.match_mode == "regex"


@pytest.mark.parametrize("pattern", ["(", "[a", "a{2,1}", r"a\1", "(?=x)", "*", "a" + "{1000}" * 3])
def test_an_invalid_pattern_is_refused_with_the_reason(pattern: str) -> None:
    with pytest.raises(ValueError, match="invalid regular expression") as raised:
        ask(texts("a"), pattern, match="regex")
    assert repr(pattern) in str(raised.value)


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(a*)*b", "(.*)(.*)(.*)(.*)x", "a{0,50}a{50}b", "(?:a?){60}a{60}b", ".*.*=.*"]
)
def test_hostile_patterns_finish(pattern: str) -> None:
    index = texts("a" * 100_000 + "!", "a" * 64)
    assert ask(index, pattern, match="regex").degrade_kind == "none"


@pytest.mark.parametrize("place", [0, WINDOW_BYTES - 3, 2 * WINDOW_BYTES - OVERLAP_BYTES - 2, 50_000])
@pytest.mark.parametrize("filler", ["-", "é", "語", "😀"])
def test_a_match_is_found_wherever_it_stands_in_a_long_field(place: int, filler: str) -> None:
    count = place // len(filler.encode())
    text = filler * count + "needle42" + filler * 20_000
    result = ask(texts(text), r"needle\d+", match="regex").results[0]
    assert marked(result) == ["needle42"]
    assert result.spans[0].text_start == count


def test_anchors_match_at_the_ends_of_a_field_not_of_a_window() -> None:
    index = texts("ab" * 50_000)
    assert found(index, "^ab", match="regex")
    assert not found(index, "^ba", match="regex")
    assert not found(index, "a$", match="regex")
    assert not found(index, r"\bb", match="regex")


@pytest.mark.parametrize("size", [0, 1, WINDOW_BYTES - 1, WINDOW_BYTES, WINDOW_BYTES + 1, 3 * WINDOW_BYTES])
@pytest.mark.parametrize("char", ["a", "é", "語", "😀"])
def test_windows_cover_a_field_in_whole_characters(size: int, char: str) -> None:
    field = (char * size).encode()[: size * len(char.encode())]
    found_windows = list(windows(field))
    assert found_windows[0][0] == 0
    assert found_windows[-1][1] == len(field)
    for start, stop in found_windows:
        field[start:stop].decode()
        assert stop - start <= WINDOW_BYTES + 3
    for (_, stop), (start, _) in pairwise(found_windows):
        assert stop - start >= OVERLAP_BYTES


def test_a_pattern_without_the_extra_installed_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_re2(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "re2":
            raise ImportError("No module named 're2'")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_re2)
    with pytest.raises(RuntimeError, match=r"google-re2: pip install 'recall-rank\[regex\]'"):
        ask(texts("a"), "a", match="regex")
    assert found(texts("a"), "a", match="literal") == {"s.0.1"}

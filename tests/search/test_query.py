"""Parsing of queries: words, compounds, phrases, and the check of every option."""

from __future__ import annotations

import math
import threading
from typing import Any

import pytest

from recall_rank.model import Context
from recall_rank.search.options import OPTION_NAMES, Options
from recall_rank.search.query import MAX_PATTERN_CHARS, MAX_WORDS, Query
from tests.support.search.samples import NOW


def parse(text: str, **options: Any) -> Query:
    return Query.parse(text, NOW, Options(**options))


@pytest.mark.parametrize(
    ("text", "words", "compounds"),
    [
        pytest.param("rate limit", ["rate", "limit"], [], id="words"),
        pytest.param("rateLimit", ["rate", "limit"], ["ratelimit"], id="camel case"),
        pytest.param("rate_limit", ["rate", "limit"], ["ratelimit"], id="underscore"),
        pytest.param("rate-limit", ["rate", "limit"], ["ratelimit"], id="hyphen"),
        pytest.param("XMLParser", ["xml", "parser"], ["xmlparser"], id="acronym"),
        pytest.param("getHTTPResponse", ["get", "http", "response"], ["gethttpresponse"], id="acronym inside"),
        pytest.param(
            "auth.cookie.max_age", ["auth", "cookie", "max", "age"], ["maxage", "authcookiemaxage"], id="dots"
        ),
        pytest.param("error404", ["error", "404"], ["error404"], id="digits come off long words"),
        pytest.param("E0502 k8s", ["e0502", "k8s"], [], id="but not off codes"),
        pytest.param("C++ #4410 100%", ["c", "4410", "100"], ["c++", "#4410", "100%"], id="punctuation that belongs"),
        pytest.param("bug? (really) rows.", ["bug", "really", "rows"], [], id="punctuation that does not"),
        pytest.param("CAFE\u0301 Größe", ["cafe", "grosse"], [], id="case, accents and forms are folded"),
        pytest.param("レート制限", ["レ", "ー", "ト", "制", "限"], ["レー", "ート", "ト制", "制限"], id="cjk"),
        pytest.param("🚀", ["🚀"], [], id="emoji"),
        pytest.param("?!", [], [], id="no word at all"),
    ],
)
def test_words_and_compounds(text: str, words: list[str], compounds: list[str]) -> None:
    query = parse(text)
    assert [word.form.decode() for word in query.words] == words
    assert [compound.form.decode() for compound in query.compounds] == compounds


def test_words_keep_what_was_written() -> None:
    assert [word.written for word in parse("Größe getHTTPResponse").words] == ["Größe", "get", "HTTP", "Response"]


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("what is the rate limit", ["rate", "limit"]),
        ("how did we fix it", ["fix"]),
        ("what is it about", ["what", "is", "it", "about"]),  # nothing else: then they are what is meant
    ],
)
def test_stop_words_do_not_count(text: str, counted: list[str]) -> None:
    assert [word.written for word in parse(text).words if word.counts] == counted


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ('"rate limit" fix', ("rate limit",)),
        ('a "b c" d "e f"', ("b c", "e f")),
        ('one " alone', ()),
        ('""  "x"', ("x",)),
        ('"whole" and "torn off', ("whole",)),
    ],
)
def test_phrases(text: str, phrases: tuple[str, ...]) -> None:
    assert parse(text).phrases == phrases


def test_few_phrases_weigh_because_each_is_looked_for_in_every_candidate() -> None:
    query = parse(" ".join(f'"phrase {n}"' for n in range(7)), exact=["x y", "z w"])
    assert query.phrases == (*(f"phrase {n}" for n in range(7)), "x y")
    assert query.warnings == ("only the first 8 of 9 exact phrases weigh as such",)
    assert parse(" ".join(f'"phrase {n}"' for n in range(8))).warnings == ()


def test_a_query_of_many_words_is_searched_by_its_first_words() -> None:
    query = parse(" ".join(f"word{chr(97 + n % 26)}{n}" for n in range(200)))
    assert len(query.words) == MAX_WORDS
    assert all(compound.at + compound.span <= MAX_WORDS for compound in query.compounds)
    assert any(str(MAX_WORDS) in warning for warning in query.warnings)


@pytest.mark.parametrize("text", ["", " ", "\t\n", "\u3000\u00a0"])
def test_an_empty_query_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the query is empty"):
        parse(text)


@pytest.mark.parametrize("text", [None, 5, b"rate", ["rate"]])
def test_a_query_is_a_string(text: Any) -> None:
    with pytest.raises(TypeError, match="query must be a string"):
        parse(text)


def test_a_pattern_has_a_longest_length() -> None:
    parse("x" * MAX_PATTERN_CHARS, match="regex")
    with pytest.raises(ValueError, match=f"{MAX_PATTERN_CHARS + 1} characters; at most {MAX_PATTERN_CHARS}"):
        parse("x" * (MAX_PATTERN_CHARS + 1), match="regex")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        *(("match", value, "'literal', 'smart', 'fuzzy' or 'regex'") for value in ("SMART", "", None, 1, ["smart"])),
        *(("scope", value, "'session', 'project' or 'global'") for value in ("all", None)),
        *(("group", value, "'part' or 'session'") for value in ("parts", None)),
        *(("type", value, "'text', 'tool', 'reasoning' or 'all'") for value in ("code", None)),
        *(("role", value, "'user', 'assistant' or 'all'") for value in ("tool", None)),
        *(("order", value, "'relevance' or 'time'") for value in ("newest", None)),
        *(("results", value, "from 1 to 1000") for value in (0, -1, 1001, 2.0, "5", True, None, math.nan)),
        *(("width", value, "from 20 to 10000") for value in (19, 10_001, 200.0, "200", None)),
        *(("offset", value, "from 0 to") for value in (-1, 1.0, "0", None, 10**30)),
        *(("sessions", value, "from 1 to") for value in (0, -5, "3", 2.5, False)),
        *(("now", value, "from 0 to") for value in (-1, 1.5, "now", 2**60)),
        *(("budget_ms", value, "a number above 0") for value in (0, -1, "fast", None, True, math.nan, math.inf, 1e30)),
        *(("fallback", value, "True or False") for value in (1, "yes", None)),
        *(("explain", value, "True or False") for value in (0, "no", None)),
        *(("fold", value, "True or False") for value in (0, "no", None)),
        *(
            (name, value, "must be a string")
            for name in ("session_id", "title", "directory", "tool_name", "project")
            for value in (5, b"x", ["x"])
        ),
        *(
            (name, value, "a list of non-empty strings")
            for name in ("must", "must_not", "exclude_session_ids")
            for value in ("rate", 5, [5], [""], None, {"a": 1}, iter(["rate"]))
        ),
        *(("extra_scores", value, "must map part ids to numbers") for value in (5, 5.0, [1], "p")),
        *(("context", value, "recall_rank.Context") for value in ("here", {"session_id": "s"})),
        *(("cancel", value, "is_set") for value in (True, object(), "no")),
        *(
            (name, value, name.rstrip("_"))
            for name in ("after", "before", "since", "until")
            for value in ("soon", [], {})
        ),
        *(
            (name, value, name.rstrip("_"))
            for name in ("from_", "to", "last")
            for value in ("long ago", b"2026", "-3d")
        ),
        *(("after", value, "after") for value in (0, -5, math.nan, math.inf, 10**30, True)),
        *(("last", value, "last") for value in ("0d", 7)),
    ],
)
def test_a_bad_option_is_refused_by_name(name: str, value: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError)) as raised:
        parse("rate", **{name: value})
    message = str(raised.value)
    assert name.rstrip("_") in message
    assert words in message
    assert repr(value) in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param(
            {"tool_name": "bash", "type": "text"}, "tool_name goes with type 'all' or 'tool', not 'text'", id="tool"
        ),
        pytest.param({"scope": "session"}, "needs a context with session_id", id="no context"),
        pytest.param({"scope": "project"}, "needs a context with project", id="no project"),
        pytest.param({"scope": "session", "context": Context(project="p")}, "session_id", id="context without session"),
        pytest.param(
            {"scope": "project", "context": Context(session_id="s")}, "worktree", id="context without project"
        ),
        pytest.param({"after": "2026-05-02", "before": "2026-05-01"}, "empty window", id="impossible window"),
        pytest.param({"since": "1h", "until": "2h"}, "empty window", id="since is not before until"),
    ],
)
def test_options_that_contradict_each_other(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse("rate", **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"results": 1},
        {"results": 1000, "width": 10_000, "offset": 0},
        {"scope": "session", "context": Context(session_id="s")},
        {"scope": "project", "context": Context(worktree="/w")},
        {"scope": "session", "session_id": "s"},  # names the session: no context is needed
        {"must": ("a",), "must_not": {"b"}, "exclude_session_ids": ["s"]},
        {"budget_ms": 5, "cancel": threading.Event(), "now": 0},
        {"tool_name": "bash", "type": "tool"},
        {"tool_name": "", "title": "", "directory": "", "project": "", "session_id": ""},
        {"after": 5, "before": 10**15},
        {"extra_scores": {"p": 0.5, "q": 1}},
        {"last": "3d", "until": "1h"},
    ],
)
def test_accepted_options(options: dict[str, Any]) -> None:
    parse("rate", **options)


def test_an_unused_time_bound_is_reported() -> None:
    query = parse("rate", since="1h", after="2026-05-01")
    assert query.after == NOW - 3_600_000
    assert any("ignored less restrictive after" in warning for warning in query.warnings)


def test_a_fallback_without_a_directory_is_told() -> None:
    assert parse("gull", fallback=True).warnings == ("fallback changes nothing without a directory",)
    assert parse("gull", fallback=True, directory="/harbor").warnings == parse("gull").warnings == ()


def test_the_options_are_those_of_the_recall_tool_and_the_library() -> None:
    tool = {
        *("match", "scope", "group", "type", "role", "session_id", "title", "sessions", "results", "width", "before"),
        *("after", "last", "from_", "to", "since", "until", "directory", "fallback", "tool_name", "explain"),
    }
    library = {
        *("budget_ms", "now", "cancel", "context", "project", "exclude_session_ids", "must", "must_not", "order"),
        *("offset", "extra_scores"),
    }
    assert tool | library <= OPTION_NAMES

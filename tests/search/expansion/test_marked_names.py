"""Names keep the marks at their edges: _x, __init__, --flag, .env, @validate and #define find what was written so."""

from __future__ import annotations

import pytest

from recall_rank.corpus import Index
from recall_rank.search.options import Options
from recall_rank.search.query import Query, is_special
from tests.support.search.samples import NOW, ask, found, marked, parts, session, texts

THINGS = ("method", "attribute", "table", "fixture", "signal", "column", "widget", "macro", "topic", "bucket")
LETTERS = ("q", "x", "k", "a", "i", "at", "by", "is", "ref", "id")
SAYINGS = (
    "Let {thing} names {place} with '{affix}' from now on.",
    "When you name a {thing}, let the name {place} with '{affix}', please.",
    "{Thing} names must always {place} with '{affix}', so that always the {place} of {thing} names says the layer.",
    'Please {place} each {thing} name with "{affix}" in this project.',
)


def test_two_hundred_rules_that_differ_in_an_affix_alone() -> None:
    rules = [
        (thing, place, affix)
        for thing in THINGS
        for letters in LETTERS
        for place, affix in (("end", f"_{letters}"), ("start", f"{letters}_"))
    ]
    assert len(rules) == 200
    said = [
        session(
            f"{thing} {affix}",
            SAYINGS[n % len(SAYINGS)].format(thing=thing, Thing=thing.title(), place=place, affix=affix),
        )
        for n, (thing, place, affix) in enumerate(rules)
    ]
    others = [
        session(f"other {n}", f"Tidy the {thing} page, and show its name at the end.") for n, thing in enumerate(THINGS)
    ]
    index = Index.build([*said, *others])
    first = [
        ask(index, f"always {place} {thing} names with '{affix}'", group="session").results[0].session_id
        == f"{thing} {affix}"
        for thing, place, affix in rules
    ]
    assert sum(first) >= 0.9 * len(rules)


@pytest.mark.parametrize(
    ("query", "written", "others"),
    [
        ("_x", "the field _x is read", ["x marks the spot", "a x of x and x"]),
        ("_at", "names end with '_at'", ["at noon at the pier", "created_at"]),
        ("the __init__ method", "the __init__ method is long", ["the init method is long", "init of the method, init"]),
        ("_private_name", "see _privateName", ["see privateName", "a private name"]),
        ("pass --no-cache", "pass --no-cache now", ["pass no cache now", "no_cache is a pass"]),
        ("use -v here", "use -v here", ["use v here", "v v v"]),
        (".env", "put it into .env", ["env is read", "the env of env"]),
        ("@validate", "add @validate on top", ["validate it", "validate and validate"]),
        ("#define", "a #define of old", ["define it", "define and define"]),
        ("a++ of a_", "what a_ is", ["a letter a", "an a"]),
    ],
)
def test_the_written_form_comes_first_and_is_marked_as_a_whole(query: str, written: str, others: list[str]) -> None:
    results = ask(texts(*others, "calm water", written), query).results
    assert results[0].part_id == f"s.{len(others) + 1}.1"
    own = [each for each in Query.parse(query, NOW, Options()).compounds if is_special(each.form)]
    for form in [each.written for each in own if each.written in written]:
        assert form in marked(results[0])


def test_the_word_alone_is_still_found() -> None:
    index = texts("the harbour is frozen", "calm water")
    for query in ("_harbour", "harbour_", "--harbour", ".harbour", "@harbour", "#harbour"):
        assert found(index, query) == {"s.0.1"}
    for text in ("_harbour", "--harbour", ".harbour", "@harbour", "#harbour"):
        assert found(texts(f"a {text} here", "calm water"), "harbour") == {"s.0.1"}


def test_a_stop_word_with_a_mark_is_asked_for_as_it_is_written() -> None:
    index = texts("they wait at noon", "names end with '_at'", "calm water")
    assert found(index, "the _at") == {"s.1.1"}
    response = ask(texts("they wait at noon", "calm water"), "calm _at")
    assert parts(response) == ["s.1.1"]
    assert "nobody wrote '_at'; the hits are of the other words" in response.suggestions


@pytest.mark.parametrize("match", ["smart", "fuzzy"])
def test_a_special_form_is_no_misspelling(match: str) -> None:
    assert not found(texts("see #4411", "calm water"), "#4410", match=match)
    response = ask(texts("a _lanterns here", "calm water"), "lantrens", match=match)
    assert [str(each) for each in response.suggestions if "_" in str(each)] == []
    assert parts(response) == ["s.0.1"]

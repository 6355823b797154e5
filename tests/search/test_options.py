"""The options of a search: one set of names and types, checked by the record at run time.

What mypy says at the caller is tested in tests/repository/test_docs_types.py.
"""

from __future__ import annotations

from typing import get_type_hints

import pytest

from recall_rank.search.options import OPTION_NAMES, Options, RankOptions, SearchOptions, parse_options


def test_keyword_arguments_and_the_record_have_the_same_names_and_types() -> None:
    assert get_type_hints(SearchOptions) == get_type_hints(Options)
    assert SearchOptions.__total__ is False
    assert RankOptions.__annotations__.keys() == OPTION_NAMES - {"sessions"}


def test_options_that_come_again_are_checked_once() -> None:
    assert parse_options({"results": 3}) is parse_options({"results": 3})
    assert parse_options({"results": 3}) == Options(results=3)
    assert parse_options({"must": ["wick"]}) == Options(must=["wick"])


def test_an_unknown_option_is_named_with_all_that_are_accepted() -> None:
    with pytest.raises(
        TypeError, match=r"unknown option mach; accepted are after, agent, before, budget_ms, .*, width"
    ):
        parse_options({"mach": "fuzzy"})  # type: ignore[typeddict-unknown-key]

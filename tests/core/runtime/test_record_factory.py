"""Frozen records that are made in one go: the same as their constructors make."""

from __future__ import annotations

import gc
from dataclasses import FrozenInstanceError, dataclass, field, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank.model import Result, Span, Why
from tests.reference.runtime import record_factory as reference

RECORDS = (Result, Span, Why)
by_name = pytest.mark.parametrize("cls", RECORDS, ids=lambda cls: cls.__name__)


@given(st.sampled_from(RECORDS), st.data())
def test_a_record_is_what_its_constructor_makes(cls: type, data: st.DataObject) -> None:
    some = st.none() | st.integers() | st.text(max_size=3) | st.tuples(st.integers())
    values = [data.draw(some) for _ in fields(cls)]
    placed = data.draw(st.integers(0, len(values)))  # the others are given by name, in any order
    names = data.draw(st.permutations(range(placed, len(values))))
    named = {fields(cls)[at].name: values[at] for at in names}
    made, expected = RecordFactory(cls).make(*values[:placed], **named), reference.RecordFactory(cls).make(*values)
    assert type(made) is cls
    assert made == expected
    assert hash(made) == hash(expected)
    assert repr(made) == repr(expected)


@given(st.sampled_from(RECORDS), st.data())
def test_make_all_makes_one_record_per_row(cls: type, data: st.DataObject) -> None:
    some = st.none() | st.integers() | st.text(max_size=3)
    rows = data.draw(st.lists(st.tuples(*[some] * len(fields(cls))), max_size=4))
    assert RecordFactory(cls).make_all(rows) == reference.RecordFactory(cls).make_all(rows)


def test_rows_have_every_field() -> None:
    make_all: Any = RecordFactory(Span).make_all
    for wrong in ((1, 2, 3), (1, 2, 3, 4, 5), (), [1, 2, 3, 4], None):
        with pytest.raises(TypeError):
            make_all([(1, 2, 3, 4), wrong])


@by_name
def test_it_is_frozen_and_seen_by_the_collector(cls: type) -> None:
    made = RecordFactory(cls).make(*fields(cls))
    assert gc.is_tracked(made)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(cls)[0].name, 1)


@by_name
def test_every_field_is_given(cls: type) -> None:
    count = len(fields(cls))
    for wrong in (0, count - 1, count + 1):
        with pytest.raises(TypeError, match=f"{count} fields, not {wrong}"):
            RecordFactory(cls).make(*range(wrong))


def test_names_are_those_of_the_fields_that_are_left() -> None:
    make: Any = RecordFactory(Span).make
    with pytest.raises(TypeError, match="needs 'text_end'"):
        make(1, 2, 3, other=4)
    with pytest.raises(TypeError, match="needs 'text_end'"):
        make(1, 2, 3, start=4)


@dataclass(frozen=True)
class WithoutSlots:
    at: int


@dataclass(frozen=True, slots=True)
class Looks:
    at: int

    def __post_init__(self) -> None:
        raise ValueError


@dataclass(frozen=True, slots=True)
class Deeper(Span):
    more: list[int] = field(default_factory=list)


@pytest.mark.parametrize("cls", [WithoutSlots, Looks, Deeper, int, type("Plain", (), {"__slots__": ("at",)})])
def test_only_dataclasses_of_slots_are_made(cls: type) -> None:
    with pytest.raises(TypeError, match=cls.__name__):
        RecordFactory(cls)


@pytest.mark.parametrize("wrong", [None, "Span", Span(0, 0, 0, 0)])
def test_only_classes_are_taken(wrong: Any) -> None:
    with pytest.raises(TypeError):
        RecordFactory(wrong)

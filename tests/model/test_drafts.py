"""A draft becomes a frozen record that equals one made by the constructor."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass, fields

import pytest

from recall_rank.model import Result, Span
from recall_rank.model.record_classes import Drafts
from tests.support.frontends.samples import hit


def test_a_frozen_draft_is_the_record() -> None:
    expected = hit()
    drafts = Drafts(Result)
    draft = drafts.draft()
    for each in fields(Result):
        setattr(draft, each.name, getattr(expected, each.name))
    record = drafts.freeze(draft)
    assert type(record) is Result
    assert record == expected
    with pytest.raises(FrozenInstanceError):
        record.score = 1.0  # type: ignore[misc]


def test_a_field_that_was_not_set_is_missed() -> None:
    drafts = Drafts(Span)
    draft = drafts.draft()
    draft.start = 1
    record = drafts.freeze(draft)
    assert record.start == 1
    with pytest.raises(AttributeError):
        _ = record.end


def test_a_class_that_is_no_dataclass_of_slots_is_refused() -> None:
    @dataclass
    class Loose:
        start: int

    with pytest.raises(TypeError, match="Loose is not a dataclass of slots alone"):
        Drafts(Loose)

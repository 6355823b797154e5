"""Dataclasses that are made quickly behave as those of the module dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.model import Part, Result, Session, Span
from recall_rank.model import dataclass as quick


def made(maker: ModuleType, *, frozen: bool) -> Any:
    """Return a class with fields of each sort, made by a module that has `dataclass` and `field`."""

    class Base:
        __slots__ = ()

        def told(self) -> str:
            return f"{self!r}"

    class Record(Base):
        first: int
        second: str = "two"
        third: list[int] = maker.field(default_factory=list)
        unseen: int = maker.field(default=4, repr=False)
        aside: Any = maker.field(default=None, compare=False)

    return maker.dataclass(frozen=frozen, slots=True)(Record)


PAIRS = [(made(quick, frozen=frozen), made(dataclasses, frozen=frozen)) for frozen in (True, False)]
pairs = pytest.mark.parametrize(("ours", "theirs"), PAIRS, ids=["frozen", "open"])
some = st.fixed_dictionaries(
    {"first": st.integers(0, 2)},
    optional={
        "second": st.sampled_from("ab"),
        "third": st.lists(st.integers(0, 1), max_size=2),
        "unseen": st.integers(3, 4),
        "aside": st.integers(0, 1),
    },
)


@pairs
@given(one=some, other=some)
def test_instances_are_those_of_dataclasses(ours: Any, theirs: Any, one: dict[str, Any], other: dict[str, Any]) -> None:
    mine, wanted, mine_too, wanted_too = ours(**one), theirs(**one), ours(**other), theirs(**other)
    assert repr(mine) == repr(wanted) == mine.told()
    assert (mine == mine_too) == (wanted == wanted_too)
    assert mine != wanted
    assert mine != 1
    assert quick.astuple(mine) == dataclasses.astuple(wanted) == dataclasses.astuple(mine)
    assert dataclasses.asdict(mine) == dataclasses.asdict(wanted)
    for replace in (quick.replace, dataclasses.replace):
        assert repr(replace(mine, **other)) == repr(dataclasses.replace(wanted, **other))
    assert copy.deepcopy(mine) == copy.copy(mine) == mine


@pairs
def test_classes_are_those_of_dataclasses(ours: Any, theirs: Any) -> None:
    for name in ("__slots__", "__match_args__", "__qualname__", "__module__", "__doc__"):
        assert getattr(ours, name) == getattr(theirs, name) or name == "__doc__"
    assert str(inspect.signature(ours)).count("=") == str(inspect.signature(theirs)).count("=")
    assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
    for kind in (ours, ours(1)):
        assert [each.name for each in quick.fields(kind)] == [each.name for each in dataclasses.fields(theirs)]
        assert [each.name for each in dataclasses.fields(kind)] == [each.name for each in dataclasses.fields(theirs)]
        assert quick.is_dataclass(kind)
        assert dataclasses.is_dataclass(kind)
    assert not quick.is_dataclass(int)
    assert ours(1).third is not ours(1).third
    for wrong in ((), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(TypeError):
            ours(*wrong)
    with pytest.raises(AttributeError):
        ours(1).other = 2  # there is no such slot


def test_a_frozen_instance_cannot_be_changed_and_has_a_hash() -> None:
    ours = PAIRS[0][0](1, third=())
    assert hash(ours) == hash(PAIRS[0][0](1, third=(), aside=9))
    for change in (lambda: setattr(ours, "first", 2), lambda: delattr(ours, "first")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert ours.first == 1
    with pytest.raises(TypeError):
        hash(PAIRS[1][0](1))


def test_a_derived_class_has_the_fields_of_its_base() -> None:
    @quick.dataclass(slots=True)
    class Base:
        first: int
        seen: list[str] = quick.field(default_factory=list)

        def __post_init__(self) -> None:
            self.seen.append("made")

    @quick.dataclass(slots=True)
    class Derived(Base):
        more: int = 3

    @dataclasses.dataclass(slots=True)
    class Further(Derived):
        last: int = 4

    assert repr(Derived(1)).endswith("Derived(first=1, seen=['made'], more=3)")
    assert Derived.__slots__ == ("more",)
    assert dataclasses.astuple(Further(1)) == (1, ["made"], 3, 4)


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(ValueError, match="default_factory"):

        @quick.dataclass(slots=True)
        class Shared:
            values: list[int] = []  # noqa: RUF012 - it is refused

    with pytest.raises(TypeError, match="slots"):
        quick.dataclass()


@pytest.mark.parametrize("kind", [Part, Session, Span, Result])
def test_public_records_are_dataclasses(kind: Any) -> None:
    assert dataclasses.is_dataclass(kind)
    assert [each.name for each in dataclasses.fields(kind)] == list(kind.__match_args__)


def test_a_record_can_be_pickled() -> None:
    session = Session("s", (), "Title", updated=3)
    assert pickle.loads(pickle.dumps(session)) == session

"""Classes made by `frozen` and `mutable` behave as those that dataclasses.dataclass makes of the same text."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import threading
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_rank.model import record_classes
from recall_rank.model.record_classes import field_names, frozen, mutable

Item = TypeVar("Item")
PLAIN = {
    "frozen": dataclasses.dataclass(frozen=True, slots=True),
    "mutable": dataclasses.dataclass(slots=True),
    "frozen by identity": dataclasses.dataclass(frozen=True, slots=True, eq=False),
    "mutable by identity": dataclasses.dataclass(slots=True, eq=False),
}
OURS = {
    "frozen": frozen,
    "mutable": mutable,
    "frozen by identity": frozen(eq=False),
    "mutable by identity": mutable(eq=False),
}
NAMES = ("a", "b", "c", "d")
# of a field: its default, the values of its options, whether its default is made by a call
Spec = tuple[Any, dict[str, bool], bool]
values = st.none() | st.integers(-2, 2) | st.just("x") | st.tuples(st.integers(0, 1))


@st.composite
def specs(draw: st.DrawFn) -> list[Spec]:
    """Fields, of which those without a default are first."""
    options = st.fixed_dictionaries({}, optional={"repr": st.booleans(), "compare": st.booleans()})
    without = [(record_classes._MISSING, draw(options), False) for _ in range(draw(st.integers(0, 2)))]
    return [*without, *((draw(values), draw(options), draw(st.booleans())) for _ in range(draw(st.integers(0, 2))))]


def made(decorate: Callable[[type], type], field: Callable[..., Any], fields: list[Spec]) -> Any:
    """The class with these fields and a method that counts them."""
    members: dict[str, Any] = {"__annotations__": {}, "__doc__": "A record.", "count": lambda _: len(fields)}
    for name, (default, options, is_call) in zip(NAMES, fields, strict=False):
        members["__annotations__"][name] = "int | None"
        if is_call:
            members[name] = field(default_factory=lambda default=default: [default], **options)
        elif default is not record_classes._MISSING:
            members[name] = field(default=default, **options)
        elif options:
            members[name] = field(**options)
    members["__qualname__"] = "made.Row"
    return decorate(type("Row", (), members))


def outcome(call: Callable[..., Any], *given_values: Any, **named: Any) -> Any:
    """What a call returns, or the type and text of what it raises."""
    try:
        return call(*given_values, **named)
    except (TypeError, AttributeError) as error:
        return type(error).__name__, str(error)


@given(st.sampled_from(sorted(OURS)), specs(), st.data())
def test_a_record_behaves_as_one_of_a_plain_dataclass(how: str, fields: list[Spec], data: st.DataObject) -> None:
    ours, plain = made(OURS[how], record_classes.field, fields), made(PLAIN[how], dataclasses.field, fields)
    names = NAMES[: len(fields)]
    positional = data.draw(st.lists(values, max_size=len(fields)))
    named = data.draw(st.dictionaries(st.sampled_from([*NAMES, "unknown"]), values, max_size=3))
    assert repr(outcome(ours, *positional, **named)) == repr(outcome(plain, *positional, **named))
    given_values = [data.draw(values) for _ in fields]
    changed = [data.draw(st.sampled_from((value, 7))) for value in given_values]
    pairs = [(cls(*given_values), cls(*changed)) for cls in (ours, plain)]
    (one, other), (plain_one, plain_other) = pairs
    assert repr(one) == repr(plain_one)
    assert (one == other) == (plain_one == plain_other)
    assert (one != other) == (plain_one != plain_other)
    assert one != plain_one
    assert one == copy.copy(one) or how.endswith("identity")
    assert one.count() == len(fields)
    if not how.endswith("identity"):
        assert outcome(hash, one) == outcome(hash, plain_one)
    for name in names:
        assert outcome(setattr, one, name, 1) == outcome(setattr, plain_one, name, 1)
        assert repr(getattr(one, name)) == repr(getattr(plain_one, name))
        assert outcome(delattr, one, name) == outcome(delattr, plain_one, name)
        assert hasattr(one, name) == hasattr(plain_one, name)


@given(st.sampled_from(sorted(OURS)), specs())
def test_the_standard_library_reads_it_as_a_plain_dataclass(how: str, fields: list[Spec]) -> None:
    ours, plain = made(OURS[how], record_classes.field, fields), made(PLAIN[how], dataclasses.field, fields)
    assert dataclasses.is_dataclass(ours)
    assert str(inspect.signature(ours)) == str(inspect.signature(plain))
    assert ours.__match_args__ == ours.__slots__ == plain.__match_args__ == plain.__slots__ == field_names(ours)
    assert repr(ours.__dataclass_params__) == repr(plain.__dataclass_params__)
    shown = [(each.name, each.type, each.repr, each.compare, each.init) for each in dataclasses.fields(ours)]
    assert shown == [(each.name, each.type, each.repr, each.compare, each.init) for each in dataclasses.fields(plain)]
    record, same = ours(*range(len(fields))), plain(*range(len(fields)))
    assert dataclasses.asdict(record) == dataclasses.asdict(same)
    assert dataclasses.astuple(record) == dataclasses.astuple(same)
    for name in field_names(ours):
        for replace in (dataclasses.replace, record_classes.replace):
            assert repr(replace(record, **{name: 9})) == repr(dataclasses.replace(same, **{name: 9}))
    assert outcome(record_classes.replace, record, unknown=1)[0] == "TypeError"


@frozen
class Berth:
    """A place at a quay."""

    name: str
    depth: float = 4.5
    boats: list[Any] = record_classes.field(default_factory=list)


@mutable
class Tide:
    """The height of the water."""

    height: int
    times: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.height < 0:
            raise ValueError("below zero")


@frozen
class Labelled(Generic[Item]):
    """A record of any type."""

    item: Item


class Marina(Berth):
    """A class with an attribute that is no field."""


def test_records_are_copied_and_pickled() -> None:
    for record in (Berth("north", boats=["gull"]), Tide(3, (1, 2)), Labelled("x")):
        for again in (copy.copy(record), copy.deepcopy(record), *_unpickled(record)):
            assert again == record
            assert type(again) is type(record)
            assert again is not record


def _unpickled(record: object) -> list[Any]:
    return [pickle.loads(pickle.dumps(record, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]


def test_a_match_statement_reads_the_fields() -> None:
    match Berth("north", 6.0):
        case Berth(name, depth):
            assert (name, depth) == ("north", 6.0)
        case _:
            pytest.fail("not matched")


def test_a_class_inside_a_function_keeps_its_name() -> None:
    @frozen
    class Inner:
        at: int

    assert repr(Inner(1)) == "test_a_class_inside_a_function_keeps_its_name.<locals>.Inner(at=1)"
    assert dataclasses.fields(Inner)[0].name == "at"


def test_every_record_has_its_own_default() -> None:
    one, other = Berth("north"), Berth("south")
    one.boats.append("gull")
    assert other.boats == []


def test_a_record_that_holds_itself_is_shown() -> None:
    berth = Berth("north")
    berth.boats.append(berth)
    assert repr(berth) == "Berth(name='north', depth=4.5, boats=[...])"


def test_a_post_init_is_called() -> None:
    with pytest.raises(ValueError, match="below zero"):
        Tide(-1)


def test_a_frozen_record_refuses_what_is_no_field() -> None:
    berth: Any = Berth("north")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'owner'"):
        berth.owner = "Ada"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'owner'"):
        del berth.owner


def test_a_subclass_has_attributes_of_its_own() -> None:
    marina: Any = Marina("north")
    marina.owner = "Ada"
    assert marina.owner == "Ada"
    del marina.owner
    assert not hasattr(marina, "owner")
    with pytest.raises(dataclasses.FrozenInstanceError):
        marina.depth = 1.0
    assert marina != Berth("north")


def test_a_plain_dataclass_may_derive_from_a_record() -> None:
    @dataclasses.dataclass(frozen=True, slots=True)
    class Deep(Berth):
        bottom: str = "sand"

    assert [each.name for each in dataclasses.fields(Deep)] == ["name", "depth", "boats", "bottom"]
    assert Deep("north").bottom == "sand"


def test_a_type_argument_makes_the_same_record() -> None:
    assert Labelled[int](3) == Labelled(3)


def test_many_threads_make_the_first_record() -> None:
    for _ in range(50):
        cls = made(frozen, record_classes.field, [(1, {}, False)])
        found: list[Any] = []
        ready = threading.Barrier(4)

        def make(cls: Any = cls, found: list[Any] = found, ready: threading.Barrier = ready) -> None:
            ready.wait()
            found.append((cls(2).a, len(dataclasses.fields(cls))))

        threads = [threading.Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(2, 1)] * 4


@pytest.mark.parametrize(
    ("base", "members"),
    [
        (Berth, {"__annotations__": {"more": "int"}}),
        (object, {"__annotations__": {"a": "int"}, "__repr__": lambda _: "written"}),
        (object, {"__annotations__": {"a": "int"}, "__eq__": lambda *_: True}),
        (object, {"__annotations__": {"a": ClassVar[int]}}),
        (object, {"__annotations__": {"a": "InitVar[int]"}}),
    ],
    ids=["derived", "writes __repr__", "writes __eq__", "ClassVar", "InitVar"],
)
def test_classes_that_only_dataclass_makes_are_refused(base: type, members: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"make .* by dataclass"):
        frozen(type("Row", (base,), members))


def test_a_default_that_can_change_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mutable default .* for field a"):
        frozen(type("Row", (), {"__annotations__": {"a": "list[int]"}, "a": []}))


def test_a_field_without_a_default_comes_first() -> None:
    cls = frozen(type("Row", (), {"__annotations__": {"a": "int", "b": "int"}, "a": 1}))
    with pytest.raises(SyntaxError):
        cls()

"""Dataclasses with slots that are made in a twentieth of the time, by `frozen` and `mutable` in place of `dataclass`.

`dataclasses.dataclass` compiles up to seven methods for each class, and the module imports `inspect`: that was half of
a first search in a new process, which makes few of these records and asks for the fields of none. Here `__init__` is
compiled by the first call of the class, the other methods are closures over the names of the fields, and the table
that `dataclasses.fields`, `replace` and `asdict` read is made by `dataclass` when it is first read. Every class is a
dataclass to them, to `match`, `copy` and `pickle`, and to type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, dataclass_transform, overload

__all__ = ["Drafts", "field", "field_names", "frozen", "mutable", "replace"]

T = TypeVar("T")
Method = Callable[..., Any]


class _NoDefault:
    """The type of the default of a field that has none; signatures show it for one whose default is made by a call."""

    def __repr__(self) -> str:
        return "<factory>"


_MISSING: Final = _NoDefault()


class _FieldOptions:
    """The arguments of `field` for one field of a class."""

    __slots__ = ("compare", "default", "default_factory", "init", "repr")

    def __init__(
        self,
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002 - named as by dataclasses.field
        compare: bool = True,
    ) -> None:
        self.default, self.default_factory = default, default_factory
        self.init, self.repr, self.compare = init, repr, compare


if TYPE_CHECKING:  # type checkers know these two of the standard library, and check their arguments by the class
    from dataclasses import field, replace
else:
    field = _FieldOptions

    def replace(record: T, /, **changes: Any) -> T:
        """Return a copy of a record with other values of some fields, as `dataclasses.replace` does."""
        for name in type(record).__match_args__:
            if name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)


@overload
def frozen(cls: type[T], /) -> type[T]: ...
@overload
def frozen(*, eq: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[Any] | None = None, /, *, eq: bool = True) -> Any:
    """Return the class as `dataclass(frozen=True, slots=True, eq=eq)` makes it; without a class, such a decorator.

    Raises TypeError for a class that `dataclass` itself must make: one that derives from a dataclass, writes a method
    that would be made, or has a ClassVar, InitVar or KW_ONLY. Raises ValueError for a default that can change.
    """
    return _decorate(cls, {"frozen": True, "slots": True, "eq": eq})


@overload
def mutable(cls: type[T], /) -> type[T]: ...
@overload
def mutable(*, eq: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(field_specifiers=(field,))
def mutable(cls: type[Any] | None = None, /, *, eq: bool = True) -> Any:
    """Return the class as `dataclass(slots=True, eq=eq)` makes it. Limits and errors are those of `frozen`."""
    return _decorate(cls, {"frozen": False, "slots": True, "eq": eq})


def _decorate(cls: type[Any] | None, made_as: Mapping[str, bool]) -> Any:
    return _record_class(cls, made_as) if cls else lambda later: _record_class(later, made_as)


def _record_class(cls: type[Any], made_as: Mapping[str, bool]) -> type[Any]:
    """Return a class with the fields of `cls` as slots and the methods that dataclass(**made_as) gives it."""
    immutable = made_as["frozen"]
    options = {name: _options(cls, name, str(annotation)) for name, annotation in cls.__annotations__.items()}
    names = tuple(options)
    members: dict[str, Any] = {
        "__slots__": names,
        "__match_args__": tuple([name for name in names if options[name].init]),
        "__dataclass_fields__": _Deferred(lambda: vars(_plain(cls, options, made_as))["__dataclass_fields__"]),
        "__dataclass_params__": _Deferred(lambda: vars(_plain(cls, options, made_as))["__dataclass_params__"]),
        "__init__": _Deferred(lambda: _init(cls, options, immutable)),
        "__replace__": replace,
        "__repr__": _repr([name for name in names if options[name].repr]),
        **(_comparison([name for name in names if options[name].compare], immutable) if made_as["eq"] else {}),
        **(_frozen_methods(names) if immutable else {}),
    }
    written = {name: value for name, value in vars(cls).items() if name not in _WITHOUT_SLOTS and name not in options}
    if clash := members.keys() & written:
        raise TypeError(f"{cls.__name__} has {', '.join(sorted(clash))} already: make it by dataclass")
    if any("__dataclass_fields__" in vars(base) for base in cls.__mro__[1:]):
        raise TypeError(f"{cls.__name__} derives from a dataclass: make it by dataclass")
    return _class_like(cls, {**written, **members})  # slots need a new class


def field_names(cls: type) -> tuple[str, ...]:
    """Return the names of the fields that the constructor of a record class takes, in their order."""
    names: tuple[str, ...] = cls.__match_args__  # type: ignore[attr-defined]
    return names


def _class_like(cls: type[Any], members: dict[str, Any]) -> type[Any]:
    metaclass: Any = type(cls)
    made: type[Any] = metaclass(cls.__name__, cls.__bases__, {**members, "__qualname__": cls.__qualname__})
    return made


_WITHOUT_SLOTS: Final = frozenset(("__dict__", "__weakref__"))  # what a class has because it has no slots


def _options(cls: type, name: str, annotation: str) -> _FieldOptions:
    """Return the options of a field. Raises TypeError for an annotation that is none, ValueError for its default."""
    if any(each in annotation for each in ("ClassVar", "InitVar", "KW_ONLY")):
        raise TypeError(f"{cls.__name__}.{name} is {annotation}: make the class by dataclass")
    value = vars(cls).get(name, _MISSING)
    options = value if isinstance(value, _FieldOptions) else _FieldOptions(default=value)
    if options.default.__class__.__hash__ is None:
        raise ValueError(
            f"mutable default {type(options.default)} for field {name} is not allowed: use default_factory"
        )
    return options


class _Deferred:
    """A member of a class that is made when it is first read, and then stands in the class in place of this object."""

    __slots__ = ("make", "name", "owner")

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: Any, owner: type) -> Any:
        made = self.make()  # two threads may make two equal ones
        setattr(self.owner, self.name, made)
        return made.__get__(instance, owner) if callable(made) else made


def _plain(cls: type, options: Mapping[str, _FieldOptions], made_as: Mapping[str, bool]) -> type:
    """Return a new class, as `dataclass` makes it of the class as it is written."""
    import dataclasses

    members = {name: value for name, value in vars(cls).items() if name not in _WITHOUT_SLOTS}
    for name, each in options.items():
        given = {key: getattr(each, key) for key in each.__slots__}
        members[name] = dataclasses.field(**{key: value for key, value in given.items() if value is not _MISSING})
    return dataclasses.dataclass(**made_as)(_class_like(cls, members))


def _init(cls: type, options: Mapping[str, _FieldOptions], immutable: bool) -> Method:
    """Return the constructor. Raises SyntaxError if a field without a default follows one that has a default."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": _MISSING}
    parameters, body = ["self"], []
    for name, each in options.items():
        parameter = value = name
        if each.default_factory is not _MISSING:
            known[f"_default_{name}"] = each.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_default_{name}() if {name} is _MISSING else {name}" if each.init else f"_default_{name}()"
        elif each.default is not _MISSING:
            known[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
            value = name if each.init else f"_default_{name}"
        elif not each.init:
            continue  # __post_init__ sets it
        if each.init:
            parameters.append(parameter)
        body.append(f"_set(self, {name!r}, {value})" if immutable else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n {lines}", known)  # noqa: S102 - of names of fields alone
    made: Method = known["__init__"]
    made.__module__, made.__qualname__ = cls.__module__, f"{cls.__qualname__}.__init__"
    made.__annotations__ = {name: cls.__annotations__[name] for name in options if options[name].init}
    made.__annotations__["return"] = None
    return made


def _repr(names: Sequence[str]) -> Method:
    @recursive_repr()
    def represent(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return represent


def _comparison(names: Sequence[str], immutable: bool) -> dict[str, Method | None]:
    """Return the methods that compare these fields of two records of a class, and that hash them if none can change."""
    values: Callable[[Any], tuple[Any, ...]]
    if len(names) > 1:
        values = attrgetter(*names)
    else:  # attrgetter of one name gives no tuple

        def values(record: Any) -> tuple[Any, ...]:
            return tuple([getattr(record, name) for name in names])

    def equals(self: Any, other: object) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_of(self: Any) -> int:
        return hash(values(self))

    return {"__eq__": equals, "__hash__": hash_of if immutable else None}


def _frozen_methods(names: Sequence[str]) -> dict[str, Method]:
    """Return the methods that refuse changes, and those by which `copy` and `pickle` set the fields.

    An attribute of a subclass that is no field can be set.
    """

    def refuse(self: Any, name: str, verb: str) -> None:
        if name in names or not hasattr(self, "__dict__"):
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot {verb} field {name!r}")

    def set_attribute(self: Any, name: str, value: Any) -> None:
        refuse(self, name, "assign to")
        object.__setattr__(self, name, value)

    def delete_attribute(self: Any, name: str) -> None:
        refuse(self, name, "delete")
        object.__delattr__(self, name)

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def set_state(self: Any, values: Sequence[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    return {
        "__setattr__": set_attribute,
        "__delattr__": delete_attribute,
        "__getstate__": state,
        "__setstate__": set_state,
    }


class Drafts(Generic[T]):
    """Builds records of one frozen dataclass with slots field by field, four times as fast as by thirty keywords.

    A draft is an object with the same slots whose fields can be set. freeze() turns it into a record in place. Reading
    a field that was never set raises AttributeError.
    """

    def __init__(self, record: type[T]) -> None:
        """Prepare drafts of the class `record`.

        Raises TypeError when it is no dataclass, or when its own slots are not exactly its fields, in their order.
        """
        names: tuple[str, ...] | None = getattr(record, "__match_args__", None)
        if not names or names != getattr(record, "__slots__", None):
            raise TypeError(f"{record.__name__} is not a dataclass of slots alone")
        self._record = record
        self._draft: type[Any] = type(f"{record.__name__}Draft", (), {"__slots__": names})

    def draft(self) -> Any:
        """Return a new draft, in which no field is set yet."""
        return self._draft()

    def freeze(self, draft: Any) -> T:
        """Turn `draft` into a record in place and return it: its fields can no longer be set."""
        draft.__class__ = self._record
        record: T = draft
        return record

"""Dataclasses that are made quickly: a drop-in for the names of the module dataclasses that this package uses.

A hook of a host starts a process for each message, and half of its time went into making classes: the module
dataclasses compiles six functions for each class, and imports the module inspect. Here one function is compiled, the
others are shared. Functions of the module dataclasses accept these classes and their instances.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

__all__ = ["astuple", "dataclass", "field", "fields", "is_dataclass", "replace"]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from dataclasses import astuple, dataclass, field, fields, is_dataclass, replace
else:
    _MISSING: Final = object()
    _FIELDS: Final = "__fast_fields__"

    class _Field:
        """One field of a class: its name, its annotation as written, and its default."""

        __slots__ = ("compare", "default", "default_factory", "name", "repr", "type")

        def __init__(self, default: Any, default_factory: Any, repr: bool, compare: bool) -> None:  # noqa: A002
            self.name = self.type = ""
            self.default = default
            self.default_factory = default_factory
            self.repr = repr
            self.compare = compare

    def field(
        *,
        default: Any = _MISSING,
        default_factory: Any = _MISSING,
        repr: bool = True,  # noqa: A002
        compare: bool = True,
    ) -> Any:
        """Return the description of a field, as dataclasses.field() does."""
        return _Field(default, default_factory, repr, compare)

    def fields(record: Any) -> tuple[Any, ...]:
        """Return the fields of a class or instance. Each has the attributes name, type, default and
        default_factory.
        """
        known = getattr(record, _FIELDS, None)
        return tuple((record.__dataclass_fields__ if known is None else known).values())

    def is_dataclass(record: Any) -> bool:
        """Return whether an object is a class or instance of dataclass(), here or in the module dataclasses."""
        return hasattr(record, _FIELDS) or hasattr(record, "__dataclass_fields__")

    def replace(record: Any, /, **changes: Any) -> Any:
        """Return a copy of an instance with some fields changed."""
        if not hasattr(record, _FIELDS):
            import dataclasses

            return dataclasses.replace(record, **changes)
        kept = {name: getattr(record, name) for name in getattr(record, _FIELDS) if name not in changes}
        return record.__class__(**kept, **changes)

    def astuple(record: Any) -> tuple[Any, ...]:
        """Return the values of an instance whose fields are no dataclasses and hold none."""
        return tuple(getattr(record, name) for name in getattr(record, _FIELDS))

    def dataclass(*, frozen: bool = False, slots: bool) -> Callable[[type], type]:
        """Return the decorator that makes a class with slots a dataclass, as dataclasses.dataclass() does."""
        if not slots:
            raise TypeError("a dataclass of this package has slots")
        return lambda cls: _made(cls, frozen)

    def _made(cls: type, frozen: bool) -> type:
        own = dict(cls.__dict__)
        known: dict[str, _Field] = {}
        for base in reversed(cls.__mro__[1:]):
            known |= base.__dict__.get(_FIELDS, {})
        inherited = frozenset(known)
        for name, annotation in own.get("__annotations__", {}).items():
            given = own.pop(name, _MISSING)
            each = given if isinstance(given, _Field) else _Field(given, _MISSING, True, True)
            if getattr(each.default, "__hash__", None) is None:
                raise ValueError(f"the default of {name} can be changed: use default_factory")
            each.name, each.type = name, annotation
            known[name] = each
        own.pop("__dict__", None)
        own.pop("__weakref__", None)
        compared = [name for name, each in known.items() if each.compare]
        own[_FIELDS] = known
        own["__slots__"] = tuple(name for name in known if name not in inherited)
        own["__match_args__"] = tuple(known)
        own["__dataclass_fields__"] = _OfDataclasses("__dataclass_fields__", tuple(known), frozen)
        own["__dataclass_params__"] = _OfDataclasses("__dataclass_params__", tuple(known), frozen)
        own["__getstate__"] = _state
        own["__setstate__"] = _set_state
        own.setdefault("__init__", _initializer(cls, known, frozen))
        own.setdefault("__repr__", _repr)
        if own.get("__eq__") is None:
            own["__eq__"] = _equal(compared)
            if own.get("__hash__") is None:
                own["__hash__"] = _hash(compared) if frozen else None
        if frozen:
            own["__setattr__"] = _refuse_change
            own["__delattr__"] = _refuse_change
        made = type(cls)(cls.__name__, cls.__bases__, own)
        made.__qualname__ = cls.__qualname__
        return made

    def _initializer(cls: type, known: dict[str, _Field], frozen: bool) -> Any:
        """Return the function __init__ for these fields, the only one that is compiled."""
        names: dict[str, Any] = {"_missing": _MISSING, "_set": object.__setattr__}
        parameters, lines = [], []
        for name, each in known.items():
            value = name
            if each.default_factory is not _MISSING:
                names[f"_new_{name}"] = each.default_factory
                parameters.append(f"{name}=_missing")
                value = f"_new_{name}() if {name} is _missing else {name}"
            elif each.default is not _MISSING:
                names[f"_default_{name}"] = each.default
                parameters.append(f"{name}=_default_{name}")
            else:
                parameters.append(name)
            lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append(" self.__post_init__()")
        exec(f"def __init__(self, {', '.join(parameters)}):\n" + "\n".join(lines or [" pass"]), names)  # noqa: S102
        made = names["__init__"]
        made.__qualname__ = f"{cls.__qualname__}.__init__"
        made.__module__ = cls.__module__
        made.__annotations__ = {name: each.type for name, each in known.items()} | {"return": None}
        return made

    def _repr(self: Any) -> str:
        shown = (f"{name}={getattr(self, name)!r}" for name, each in getattr(self, _FIELDS).items() if each.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def _equal(compared: list[str]) -> Any:
        values = attrgetter(*compared) if compared else _nothing

        def __eq__(self: Any, other: object) -> Any:  # noqa: N807
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _hash(compared: list[str]) -> Any:
        values = attrgetter(*compared) if compared else _nothing

        def __hash__(self: Any) -> int:  # noqa: N807
            return hash(values(self))

        return __hash__

    def _nothing(_: Any) -> tuple[()]:
        return ()

    def _refuse_change(_: Any, name: str, *__: Any) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot change field {name!r}")

    def _state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in getattr(self, _FIELDS)]

    def _set_state(self: Any, state: list[Any]) -> None:
        for name, value in zip(getattr(self, _FIELDS), state, strict=True):
            object.__setattr__(self, name, value)

    class _OfDataclasses:
        """An attribute that the functions of the module dataclasses read, made when one of them does.

        Found in the namespace of its class, it can be iterated over like the mapping of fields that it stands for.
        """

        def __init__(self, name: str, names: tuple[str, ...], frozen: bool) -> None:
            self._name = name
            self._names = names
            self._frozen = frozen

        def __iter__(self) -> Iterator[str]:
            return iter(self._names)

        def __get__(self, instance: object, owner: type) -> Any:
            import dataclasses

            described = []
            for each in fields(owner):
                given = {name: getattr(each, name) for name in ("default", "default_factory")}
                options = {name: value for name, value in given.items() if value is not _MISSING}
                described.append(
                    (each.name, each.type, dataclasses.field(**options, repr=each.repr, compare=each.compare))
                )
            twin = dataclasses.make_dataclass(owner.__name__, described, frozen=self._frozen)
            return getattr(twin, self._name)

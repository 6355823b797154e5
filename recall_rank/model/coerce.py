"""Make Session records from mappings with the field names of the records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from math import isfinite
from typing import Any, TypeVar

from recall_rank.model.sessions import Flag, Message, Part, Session, Tokens

Record = TypeVar("Record", Part, Message, Session)
_FIELDS = {cls: frozenset(f.name for f in fields(cls)) for cls in (Part, Message, Session)}
_TIMES = ("time", "created", "updated")
_REQUIRED: Mapping[type, tuple[str, ...]] = {Part: ("id", "type"), Message: ("id", "role"), Session: ("id",)}


def session_from(value: Session | Mapping[str, Any]) -> Session:
    """The Session `value` itself, or one made from a mapping with the field names of Session; unknown keys are
    ignored.

    Raises TypeError or ValueError that names the missing or wrong field.
    """
    if isinstance(value, Session):
        return value
    return _record(Session, value, messages=tuple(_message_from(m) for m in _listed(value, "messages")))


def sessions_from(values: Iterable[Session | Mapping[str, Any]]) -> Iterator[Session]:
    """Yield session_from() of each value. Raises TypeError at the call, not later, when `values` is not iterable."""
    given: object = values
    if isinstance(given, Session | Mapping | str | bytes) or not isinstance(given, Iterable):
        shown = "one alone" if isinstance(given, Session | Mapping) else repr(given)[:80]
        raise TypeError(f"sessions must be an iterable of sessions, not {shown}")
    return map(session_from, values)


def _message_from(value: Message | Mapping[str, Any]) -> Message:
    if isinstance(value, Message):
        return value
    return _record(Message, value, parts=tuple(_part_from(p) for p in _listed(value, "parts")))


def _part_from(value: Part | Mapping[str, Any]) -> Part:
    return value if isinstance(value, Part) else _record(Part, value)


def _milliseconds(cls: type[Record], name: str, value: object) -> int:
    if isinstance(value, float) and isfinite(value):
        return int(value)  # as time.time() * 1000 gives them
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{cls.__name__} needs milliseconds since 1970 as {name!r}, not {value!r}")
    return value


def _listed(value: object, name: str) -> Iterable[Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a record or a mapping is needed, not {type(value).__name__}")
    return value.get(name) or ()


def _record(cls: type[Record], value: object, **nested: object) -> Record:
    if not isinstance(value, Mapping):
        raise TypeError(f"{cls.__name__} must be a record or a mapping, not {type(value).__name__}")
    known = {name: item for name, item in value.items() if name in _FIELDS[cls] and item is not None} | nested
    if "flags" in known:
        known["flags"] = Flag(known["flags"])
    if isinstance(used := known.get("tokens"), Mapping):
        known["tokens"] = Tokens(**{name: used.get(name) for name in ("input", "output", "cached", "reasoning")})
    for name in _TIMES:
        if name in known:
            known[name] = _milliseconds(cls, name, known[name])
    for name in _REQUIRED[cls]:
        if not isinstance(known.get(name), str):
            raise ValueError(f"{cls.__name__} needs a string {name!r}, not {known.get(name)!r}")
    return cls(**known)

"""Make Session records from mappings with the field names of the records, and from messages of chat APIs.

No text that a caller gives is dropped without a word: an unknown role or shape raises an error that names it, the place
where it stands, and what is accepted. An unknown key raises such an error only in a record without content, such as a
message without parts; in others it is ignored, since records of other programs have many keys.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, TypeVar, get_args

from recall_rank.model.chat_messages import CHAT_KEYS, CHAT_ROLES, ChatMessages
from recall_rank.model.record_classes import field_names
from recall_rank.model.sessions import Flag, Message, Part, Role, Session, Tokens

Record = TypeVar("Record", Part, Message, Session)
ROLES: frozenset[str] = frozenset(get_args(Role))
ACCEPTED = ROLES | CHAT_ROLES.keys()
_FIELDS = {cls: frozenset(field_names(cls)) for cls in (Part, Message, Session)}
_TIMES = ("time", "created", "updated")
_REQUIRED: Mapping[type, tuple[str, ...]] = {Part: ("id", "type"), Message: ("id", "role"), Session: ("id",)}
_CONTENT = {
    Part: frozenset({"text", "input", "output", "error", "title", "prompt", "files"}),
    Message: frozenset({"parts", "content", "tool_calls", "function_call"}),
    Session: frozenset({"messages"}),
}
_NO_TEXTS = {*_TIMES, "id", "type", "messages", "parts", "input", "flags", "files", "tokens", "cost", "places"}
_TEXTS = {cls: sorted(_FIELDS[cls] - _NO_TEXTS - {"role"}) for cls in _FIELDS}


def session_from(value: object, where: str = "session") -> Session:
    """Return a Session itself, or one made from a mapping with the field names of Session; `where` is its place, for
    errors.

    A message is a record, a mapping with the field names of Message, or one with `content` in the form of OpenAI's or
    Anthropic's API. Raises TypeError or ValueError that names a missing, unknown or wrong field.
    """
    if isinstance(value, Session):
        for number, message in enumerate(value.messages):
            if message.role not in ACCEPTED:
                raise _unknown_role(message.role, f"{where}.messages[{number}]")
        return value
    if isinstance(value, Mapping) and not isinstance(value.get("id"), str):
        if "role" in value:
            raise ValueError(f"{where} is a message; a session is needed: {{'id': ..., 'messages': [...]}}")
        raise _no_text("Session", "id", value.get("id"), where)
    name = value["id"] if isinstance(value, Mapping) else ""
    return _record(Session, value, where, messages=_messages(_listed(value, "messages", where), name, f"{where}."))


def sessions_from(values: Iterable[Session | Mapping[str, Any]]) -> Iterator[Session]:
    """Yield session_from() of each value. Raises TypeError at the call, not later, when `values` is not iterable."""
    given: object = values
    if isinstance(given, Session | Mapping | str | bytes) or not isinstance(given, Iterable):
        shown = "one alone" if isinstance(given, Session | Mapping) else repr(given)[:80]
        raise TypeError(f"sessions must be an iterable of sessions, not {shown}")
    return (session_from(value, f"sessions[{number}]") for number, value in enumerate(given))


def message_list(values: Iterable[Message | Mapping[str, Any]]) -> list[Message | Mapping[str, Any]]:
    """Return the values in a list. Raises TypeError for one message alone, and for what is not iterable."""
    given: object = values
    if isinstance(given, Message | Mapping | str | bytes) or not isinstance(given, Iterable):
        shown = "one alone" if isinstance(given, Message | Mapping) else _shown(given)
        raise TypeError(f"messages must be an iterable of messages, not {shown}")
    return list(values)


def messages_from(values: Sequence[Message | Mapping[str, Any]], session_id: str, first: int) -> tuple[Message, ...]:
    """Return the messages that session_from() would make of `values` if they followed `first` others in a session.

    Raises TypeError or ValueError that names a missing, unknown or wrong field.
    """
    return _messages(values, session_id, "", first)


def _messages(values: Iterable[Any], session_id: str, where: str, first: int = 0) -> tuple[Message, ...]:
    """Return the messages of a session, in order; `first` is the number of those before them.

    The number of a message is in the id of one that has none. `where` is the place of the list, for errors.
    """
    chat = ChatMessages()
    for number, message in enumerate(values):
        at = f"{where}messages[{number}]"
        if isinstance(message, Mapping) and not CHAT_KEYS.isdisjoint(message):
            if "parts" in message:
                raise ValueError(f"a message has either 'parts' or 'content', not both, in {at}")
            record = _record(Message, _named(message, f"{session_id}:{first + number}", at), at)
            chat.add(record, message, at)
        else:
            chat.add_record(_message_from(message, at))
    return chat.messages()


def _message_from(value: object, where: str) -> Message:
    if isinstance(value, Message):
        if value.role not in ACCEPTED:
            raise _unknown_role(value.role, where)
        return value
    if isinstance(value, Mapping) and "id" not in value and "parts" not in value:
        raise ValueError(f"a message needs an 'id' and 'parts', or 'content', in {where}")
    parts = [_part_from(part, f"{where}.parts[{at}]") for at, part in enumerate(_listed(value, "parts", where))]
    return _record(Message, value, where, parts=tuple(parts))


def _part_from(value: object, where: str) -> Part:
    return value if isinstance(value, Part) else _record(Part, value, where)


def _named(message: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """Return the fields of Message that a chat message has; without an id of its own, it gets the id `name`.

    Its key "name" is taken as its author. Raises ValueError for a message with an unknown key and no content.
    """
    _check_keys(Message, message, _FIELDS[Message] - {"parts"} | CHAT_KEYS, where)
    kept = {key: value for key, value in message.items() if key in _FIELDS[Message]}
    kept["id"] = name if kept.get("id") is None else kept["id"]
    kept["author"] = message.get("name") if kept.get("author") is None else kept["author"]
    return kept


def _milliseconds(cls: type[Record], name: str, value: object, where: str) -> int:
    if isinstance(value, float) and isfinite(value):
        return int(value)  # as time.time() * 1000 gives them
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{cls.__name__} needs milliseconds since 1970 as {name!r}, not {_shown(value)}, in {where}")
    return value


def _listed(value: object, name: str, where: str) -> Iterable[Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"a record or a mapping is needed, not {type(value).__name__}, in {where}")
    listed = value.get(name)
    if listed is None:
        return ()
    if isinstance(listed, str | bytes | Mapping) or not isinstance(listed, Iterable):
        raise TypeError(f"{name!r} must be a list, not {_shown(listed)}, in {where}")
    return listed


def _record(cls: type[Record], value: object, where: str, **nested: object) -> Record:
    """Return a record of the class `cls` with those values of a mapping that are its fields, and the fields `nested`.

    Raises TypeError or ValueError for a missing field or a wrong value; `where` is the place of the record, for the
    message.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{cls.__name__} must be a record or a mapping, not {type(value).__name__}, in {where}")
    _check_keys(cls, value, _FIELDS[cls], where)
    known: dict[str, Any] = {name: value[name] for name in _FIELDS[cls] if value.get(name) is not None} | nested
    for name in _REQUIRED[cls]:
        if not isinstance(known.get(name), str):
            raise _no_text(cls.__name__, name, known.get(name), where)
    if cls is Message:
        known["role"] = CHAT_ROLES.get(known["role"], known["role"])
        if known["role"] not in ROLES:
            raise _unknown_role(known["role"], where)
    for name in _TEXTS[cls]:
        if name in known and not isinstance(known[name], str):
            raise TypeError(f"{cls.__name__} needs text as {name!r}, not {_shown(known[name])}, in {where}")
    if "flags" in known:
        if not isinstance(known["flags"], int):
            raise TypeError(f"{cls.__name__} needs a number as 'flags', not {_shown(known['flags'])}, in {where}")
        known["flags"] = Flag(known["flags"])
    if isinstance(used := known.get("tokens"), Mapping):
        known["tokens"] = Tokens(**{name: used.get(name) for name in ("input", "output", "cached", "reasoning")})
    for name in _TIMES:
        if name in known:
            known[name] = _milliseconds(cls, name, known[name], where)
    return cls(**known)


def _check_keys(cls: type, value: Mapping[Any, Any], accepted: Collection[str], where: str) -> None:
    """Raise ValueError for a mapping without content under a known key that has an unknown key, which may hold it."""
    unknown = [key for key in value if key not in accepted]
    if unknown and _CONTENT[cls].isdisjoint(value):
        names = ", ".join(sorted(accepted))
        raise ValueError(f"{cls.__name__} has no {_shown(unknown[0])}, in {where}; accepted are {names}")


def _no_text(record: str, name: str, value: object, where: str) -> ValueError:
    return ValueError(f"{record} needs a string {name!r}, not {_shown(value)}, in {where}")


def _unknown_role(role: object, where: str) -> ValueError:
    return ValueError(f"unknown role {_shown(role)} in {where}; accepted are user, assistant, system, tool")


def _shown(value: object) -> str:
    return repr(value)[:80]

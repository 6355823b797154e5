"""Make sessions of plain texts, such as notes or log lines: each text is a session of one message of one part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar, get_args

from recall_rank.model.sessions import Message, Part, Role, Session

Text = TypeVar("Text", bound=str | Mapping[str, Any])
TEXT_ROLE: Final[Role] = "system"  # of a text without a role: its kind has one weight, whatever it says
_TEXT_FIELDS = ("title", "author", "directory", "project")


def text_list(values: Iterable[Text]) -> list[Text]:
    """Return the values in a list. Raises TypeError for one text alone, and for what is not iterable."""
    given: object = values
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(f"texts must be a list of texts, not {given!r:.80}")
    return list(values)


def text_of(value: object, key: str, where: str) -> str:
    """Return the text of a value: itself, or what a mapping has under `key`; `where` is its place, for errors.

    Raises TypeError or ValueError for a value without a text.
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        raise TypeError(f"a text is a string or a mapping with {key!r}, not {value!r:.80}, in {where}")
    text = value.get(key)
    if text is None:
        raise ValueError(f"no {key!r} in {where}, a mapping with {', '.join(map(repr, list(value)[:8])) or 'no keys'}")
    if not isinstance(text, str):
        raise TypeError(f"{key!r} must be a string, not {text!r:.80}, in {where}")
    return text


def sessions_of_texts(values: Iterable[str | Mapping[str, Any]], key: str) -> Iterator[Session]:
    """Yield a session for each text, whose message and part have its id, too.

    The id is that of the mapping, a string or a whole number, else the number of the text, counted from 0. A mapping
    may also have `title`, `author`, `directory`, `project`, `role` and `time` (ms since 1970); other keys are ignored.
    Raises TypeError or ValueError for a value without a text, and for a wrong id, field, role or time.
    """
    return (_session(value, key, number) for number, value in enumerate(text_list(values)))


def text_session(name: str, text: str, time: int = 0, role: Role = TEXT_ROLE, author: str | None = None) -> Session:
    """Return the session of one text; `name` is the id of the session, the message and the part."""
    return Session(name, (Message(name, role, time, (Part(name, "text", text),), author),))


def _session(value: str | Mapping[str, Any], key: str, number: int) -> Session:
    where = f"texts[{number}]"
    text = text_of(value, key, where)
    if isinstance(value, str):
        return text_session(str(number), text)
    name = value.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int | None):
        raise TypeError(f"an id must be a string or a whole number, not {name!r:.80}, in {where}")
    fields = {each: value[each] for each in _TEXT_FIELDS if value.get(each) is not None}
    for each, given in fields.items():
        if not isinstance(given, str):
            raise TypeError(f"{each!r} must be a string, not {given!r:.80}, in {where}")
    role, time = value.get("role") or TEXT_ROLE, value.get("time") or 0
    if role not in get_args(Role):
        raise ValueError(f"unknown role {role!r:.80} in {where}; accepted are {', '.join(get_args(Role))}")
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise TypeError(f"'time' must be milliseconds since 1970, not {time!r:.80}, in {where}")
    made = text_session(str(number if name is None else name), text, int(time), role, fields.pop("author", None))
    return Session(made.id, made.messages, **fields)

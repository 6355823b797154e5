"""Weights of recall_rank.weights with other values, for the length of one search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recall_rank import weights

if TYPE_CHECKING:
    from recall_rank.evaluation.evaluate import Search
    from recall_rank.model import SearchResponse


def reweighed(search: Search, changes: Mapping[str, Any]) -> Search:
    """`search` under other weights. They are global to the process: meanwhile no other thread may search."""

    def changed_search(query: str, **options: Any) -> SearchResponse:
        with changed(changes):
            return search(query, **options)

    return changed_search


@contextmanager
def changed(changes: Mapping[str, Any]) -> Iterator[None]:
    """Gives weights other values inside the block; restored whatever happens."""
    before = {name: getattr(weights, name) for name in changes}
    try:
        for name, value in changes.items():
            setattr(weights, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(weights, name, value)


def parse_changes(text: str) -> dict[str, Any]:
    """NAME=VALUE[+NAME=VALUE...] as the values of weights; TABLE.ENTRY names one entry of a table.

    Raises ValueError naming the weight and what is accepted. Values have the type of the weight they stand for.
    """
    changes: dict[str, Any] = {}
    for one in text.split("+"):
        label, given, written = (piece.strip() for piece in one.partition("="))
        if not given:
            raise ValueError(f"a change of weights is NAME=VALUE, not {one!r}")
        name, _, entry = label.partition(".")
        if not name.isupper() or not hasattr(weights, name):
            raise ValueError(f"there is no weight {name!r}; recall_rank/weights.py names them")
        now = changes.get(name, getattr(weights, name))
        if isinstance(now, dict):
            changes[name] = _with_entry(name, now, entry, written)
        elif entry:
            raise ValueError(f"{name} has no entries, so {label!r} names nothing")
        else:
            changes[name] = _value(label, now, written)
    return changes


def _with_entry(name: str, table: Mapping[Any, Any], entry: str, written: str) -> dict[Any, Any]:
    names = {str(getattr(key, "name", key)): key for key in table}
    if entry not in names:
        raise ValueError(f"{name} is a table: {name}.ENTRY must be one of {', '.join(names)}, not {entry!r}")
    return {**table, names[entry]: _value(f"{name}.{entry}", table[names[entry]], written)}


def _value(label: str, now: object, written: str) -> Any:
    if isinstance(now, bool):
        if written not in ("True", "False"):
            raise ValueError(f"{label} must be True or False, not {written!r}")
        return written == "True"
    if isinstance(now, tuple):
        pieces = written.split(",")
        if len(pieces) != len(now):
            raise ValueError(f"{label} must be {len(now)} numbers with commas between them, not {written!r}")
        return tuple(_value(label, old, piece.strip()) for old, piece in zip(now, pieces, strict=True))
    if not isinstance(now, int | float):
        raise ValueError(f"{label} is no number and cannot be changed here")
    try:
        value = int(written) if isinstance(now, int) else float(written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        kind = "a whole number" if isinstance(now, int) else "a number"
        raise ValueError(f"{label} must be {kind}, not {written!r}")
    return value

"""Parse changes of ranking weights that are written on a command line."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

from recall_rank.model.nearest_names import did_you_mean
from recall_rank.weights import DEFAULT, Weights


def parse_weights(text: str, weights: Weights = DEFAULT) -> Weights:
    """Return a copy of `weights` with the changes in `text`, NAME=VALUE[+NAME=VALUE...].

    NAME is a field of Weights in capitals; TABLE.ENTRY names one entry of a field that is a table. A value has the
    type of the weight that it replaces. Raises ValueError that names the weight and the accepted values; for a weight
    that does not exist, the nearest ones.
    """
    for change in text.split("+"):
        label, given, written = (piece.strip() for piece in change.partition("="))
        if not given:
            raise ValueError(f"a change of weights is NAME=VALUE, not {change!r}")
        name, _, entry = label.partition(".")
        if not name.isupper() or name.lower() not in weight_names(weights):
            known = [each.upper() for each in weight_names(weights)]
            hint = did_you_mean(name, known) or f"there are {', '.join(known)}"
            raise ValueError(f"there is no weight {name!r}: {hint}")
        now = getattr(weights, name.lower())
        if hasattr(now, "_fields"):
            value = _with_entry(name, now, entry, written)
        elif entry:
            raise ValueError(f"{name} has no entries, so {label!r} names nothing")
        else:
            value = _value(label, now, written)
        weights = replace(weights, **{name.lower(): value})
    return weights


def weight_names(weights: Weights) -> list[str]:
    """Return the field names of all weights, in the order of their definition."""
    return [field.name for field in fields(weights)]


def _with_entry(name: str, table: Any, entry: str, written: str) -> Any:
    """Return a copy of the named tuple `table` in which `entry` has the written value; `name` is for error
    messages.
    """
    names = table._fields
    if entry not in names:
        hint = did_you_mean(entry, names)
        told = f"{name} is a table: {name}.ENTRY must be one of {', '.join(names)}, not {entry!r}"
        raise ValueError(f"{told}; {hint}" if hint else told)
    return table._replace(**{entry: _value(f"{name}.{entry}", getattr(table, entry), written)})


def _value(label: str, now: object, written: str) -> Any:
    """Return the written value, converted to the type of the current value `now`.

    Raises ValueError with `label`, the name of the weight, when it cannot be converted.
    """
    try:
        value = int(written) if isinstance(now, int) else float(written)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        kind = "a whole number" if isinstance(now, int) else "a number"
        raise ValueError(f"{label} must be {kind}, not {written!r}")
    return value

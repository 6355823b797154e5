"""Parse one JSON text of any size, damaged or not, and remove base64 payloads."""

from __future__ import annotations

from typing import Any

import orjson

from recall_rank.loaders.payloads import may_hold_payload, strip_value

Record = dict[str, Any]
RawJson = bytes | bytearray

LARGE = 1 << 20  # bytes; smaller records cost a few milliseconds at most


def parse_values(raw: RawJson, starts: tuple[str, ...] = ()) -> tuple[list[Any], str | None]:
    """Return (values, problem): the JSON values of one line or database column, usually one, and the reason when some
    are missing, else None.

    `starts` are texts with which a record can begin; they serve to find a record that follows a cut-off one on the
    line.
    """
    if len(raw) > LARGE:
        from recall_rank.loaders.json.large import parse_large  # rare, and much to import

        return parse_large(raw, starts)
    try:
        values: list[Any] = [orjson.loads(raw)]
    except orjson.JSONDecodeError:
        return parse_damaged(raw, starts)
    return _stripped(values, raw), None


def parse_damaged(raw: RawJson, starts: tuple[str, ...] = ()) -> tuple[list[Any], str | None]:
    """Return the values and the problem that parse_values() returns, for a text of at most LARGE bytes that orjson
    refuses.
    """
    from recall_rank.loaders.json.repair import repair_values

    values, problem = repair_values(raw, starts)
    return _stripped(values, raw), problem


def _stripped(values: list[Any], raw: RawJson) -> list[Any]:
    return [strip_value(value) for value in values] if values and may_hold_payload(raw) else values

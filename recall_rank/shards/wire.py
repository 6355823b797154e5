"""Requests and replies of shards as bytes, for another process: JSON, in which marks and long lists are compressed."""

from __future__ import annotations

import base64
import zlib
from array import array
from collections.abc import Callable
from typing import Any, Final

import orjson

from recall_rank.index.shards.questions import (
    AddHits,
    AddParts,
    EvidenceAnswer,
    EvidenceQuestion,
    NearAnswer,
    NearQuestion,
    ScanAnswer,
    ScanQuestion,
    Score,
    ShardReply,
    ShardRequest,
)
from recall_rank.index.shards.scoring import ScoredGroup, Scoring
from recall_rank.model.serialize import repaired

_KINDS: Final[dict[str, Callable[..., Any]]] = {
    each.__name__: each
    for each in (
        *(AddHits, AddParts, EvidenceAnswer, EvidenceQuestion, NearAnswer, NearQuestion, ScanAnswer, ScanQuestion),
        *(Score, ScoredGroup, Scoring, ShardReply, ShardRequest),
    )
}
_NUMBERS: Final = "numbers"  # the key of a compressed list of u32
_BYTES: Final = "bytes"
_MANY: Final = 64  # numbers from which a list is compressed
MAX_BYTES: Final = 1 << 30  # that one compressed value may have when it is unpacked


def to_bytes(record: ShardRequest | ShardReply) -> bytes:
    """Return a request or a reply as bytes, for another process.

    A lone surrogate in a text becomes U+FFFD, which it also is where texts are compared.
    """
    return orjson.dumps(_plain(record))


def from_bytes(data: bytes) -> Any:
    """Return the record that to_bytes() wrote. Its values are not checked further.

    Raises ValueError for bytes that are no such record.
    """
    try:
        return _record(orjson.loads(data))
    except (ValueError, TypeError, KeyError, zlib.error) as error:
        raise ValueError(f"these bytes are no record of a shard: {error}") from error


def reply_of(data: bytes) -> ShardReply:
    """Return the reply that to_bytes() wrote; of other bytes a reply that has no answer and says why."""
    try:
        reply = from_bytes(data)
    except Exception as error:  # noqa: BLE001 - any error says that these bytes are no reply
        return ShardReply("", None, f"its answer cannot be read: {error}")
    return reply if isinstance(reply, ShardReply) else ShardReply("", None, "its answer is no reply")


def _plain(value: Any) -> Any:
    if type(value).__name__ in _KINDS:
        return {type(value).__name__: [_plain(getattr(value, name)) for name in value.__slots__]}
    if isinstance(value, array):
        if value.typecode != "I" or len(value) < _MANY:
            return value.tolist()
        return {_NUMBERS: _packed(value.tobytes())}
    if isinstance(value, bytes | bytearray | memoryview):
        return {_BYTES: _packed(bytes(value))}
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _record(value: Any) -> Any:
    if isinstance(value, list):
        return [_record(each) for each in value] if value and isinstance(value[0], list | dict) else value
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == _BYTES:
        return _unpacked(content)
    if kind == _NUMBERS:
        return array("I", _unpacked(content))
    return _KINDS[kind](*map(_record, content))


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 1)).decode()


def _unpacked(text: str) -> bytes:
    reader = zlib.decompressobj()
    data = reader.decompress(base64.b64decode(text, validate=True), MAX_BYTES)
    if reader.unconsumed_tail or not reader.eof:
        raise ValueError("a compressed value is cut or too long")
    return data

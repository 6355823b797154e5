"""Read the messages in a store of Cursor's command line, whose blobs (byte strings) are named by the hash of their
content.

A blob is either a message in JSON, or a list, in protobuf form, of messages and of names of other blobs. The newest
list is the root; the messages reached from it, in order, are the current conversation. All other messages belong to
abandoned branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from recall_rank.loaders.json.parse import Record, parse_values

HASH = 32  # bytes of a name inside a list
DEPTH = 8  # of messages inside messages
_BROKEN = b'"role"'


class Blobs:
    """The blobs of a store of Cursor's command line, given as a mapping from name to content in stored order.
    `problems` has (name, reason) of each damaged blob, once the conversation was read.
    """

    def __init__(self, blobs: Mapping[str, bytes]) -> None:
        self.problems: list[tuple[str, str]] = []
        self._blobs = blobs
        self._seen: set[str] = set()

    def conversation(self, root: str | None) -> Iterator[tuple[str, Record, bool]]:
        """Yield (name, message, is_current) of every message in the store: first those reached from the list blob
        `root`, in order, then the others. The others are not current, unless none was reached.
        """
        reached = list(self._walk(root)) if root else []
        for name, record in reached:
            yield name, record, True
        for name in self._blobs:
            if name not in self._seen:
                self._seen.add(name)
                message = self._message(name)
                if message is not None:
                    yield name, message, not reached

    def _walk(self, root: str) -> Iterator[tuple[str, Record]]:
        waiting: list[tuple[str, Record | None]] = [(root, None)]
        while waiting:
            name, record = waiting.pop()
            if record is not None:
                yield name, record
                continue
            data = self._blobs.get(name)
            if data is None or name in self._seen:
                continue
            self._seen.add(name)
            if data[:1] == b"{":
                record = self._message(name)
                if record is not None:
                    yield name, record
            else:
                waiting.extend(reversed(list(self._inside(name, data))))

    def _inside(self, name: str, data: bytes) -> Iterator[tuple[str, Record | None]]:
        """Yield the content of a list blob as (name, message); the message is None where the list only names
        another blob.
        """
        for number, payload in enumerate(_payloads(data, DEPTH)):
            if payload[:1] == b"{":
                record = _record(payload)
                if record is not None:
                    yield f"{name}:{number}", record
            elif payload.hex() in self._blobs:
                yield payload.hex(), None

    def _message(self, name: str) -> Record | None:
        """Return the message in a blob; None for a blob that is no message, such as a file that was shown to the
        model.
        """
        data = self._blobs[name]
        if data[:1] != b"{":
            return None
        record = _record(data)
        if record is None and _BROKEN in data[:256]:
            values, problem = parse_values(data)
            if problem or not values:
                self.problems.append((name, problem or "empty"))
        return record


def _record(data: bytes) -> Record | None:
    values, problem = parse_values(data)
    value = values[0] if len(values) == 1 and problem is None else None
    return value if type(value) is dict and "role" in value else None


def _payloads(data: bytes, depth: int) -> Iterator[bytes]:
    """Yield the blob names and JSON texts in a protobuf message and in the messages nested up to `depth` levels in
    it; none for other bytes.
    """
    for payload in _fields(data) or ():
        if len(payload) == HASH or payload[:1] == b"{":
            yield payload
        elif depth and len(payload) > HASH:
            yield from _payloads(payload, depth - 1)


def _fields(data: bytes) -> list[bytes] | None:
    """Return the length-delimited fields of a protobuf message; None when the bytes are not a protobuf message."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        kind = tag & 7
        if kind == 0:
            _, at = _number(data, at)
        elif kind == 1:
            at += 8
        elif kind == 5:
            at += 4
        elif kind == 2:
            length, at = _number(data, at)
            found.append(data[at : at + length])
            at += length
        else:
            return None
        if tag < 8 or at > len(data) or at < 0:
            return None
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the value of the protobuf varint at offset `at`, and the offset after it, which is beyond the end of
    `data` when the varint is cut off.
    """
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    return value, len(data) + 1

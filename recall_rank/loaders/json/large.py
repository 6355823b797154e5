"""Parse records over 1 MiB in small steps, so that other threads of the host keep running.

A parser in C holds the interpreter lock for the whole record. Here long strings are cut out and decoded piece by
piece; the rest of the record, which is usually small, is parsed in C. Measured with a ticking thread on two cores:
records of 12 MB (one long string, all escapes, all small values) stall the thread for 7 to 16 ms and a record of 200
MB for 30 to 40 ms; orjson alone stalls it for 11 to 80 ms and 280 ms.
"""

from __future__ import annotations

import json
import json.decoder
import json.scanner
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import orjson

from recall_rank.loaders.json.repair import decode_json, repair_values
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.payloads import MARK, strip_text, strip_value

LONG = 1 << 16  # strings of more bytes are decoded apart
PIECE = 1 << 18
WINDOW = 1 << 22  # searched per call
LONGEST = 1 << 23  # of one string that much is kept, half from either end: joining more takes too long at once
AT_ONCE = 1 << 20  # bytes without long strings that the parser in C gets at once
MOST_STRUCTURE = 1 << 25  # bytes without long strings; no record of any agent has more
# Bytes of memory that parsed values take at most: a value of a list or mapping, a list, a mapping; and a byte of text
# while it is decoded and after, when all of it is ASCII, below U+10000, or any character.
VALUE, LIST, MAPPING = 64, 96, 240
ASCII, BASIC, ANY = 2, 4, 8

_BEYOND_BASIC = re.compile(rb"[\xf0-\xff]|\\u[dD][89abAB]")
_LOOSE = json.JSONDecoder(strict=False)


def parse_large(raw: bytes | bytearray, starts: tuple[str, ...] = ()) -> tuple[list[Any], str | None]:
    """Return (values, problem): the JSON values in a large record, and the reason when some are missing, else None.

    Base64 payloads are replaced by a mark, and the middle of a string over 8 MiB is left out. `starts` are texts with
    which a record can begin; they serve to find a record after a cut-off one. A record whose values may take more
    memory than `limits().record` bytes is not parsed.
    """
    nonce = os.urandom(8).hex()
    skeleton = bytearray()
    texts: dict[str, str] = {}
    left = limits().record
    at = 0
    for start, end in _long_strings(raw):
        name = f"{nonce}:{len(texts)}"
        try:
            texts[name] = _decode(raw, start, end)
        except ValueError as error:
            return [], f"not JSON: {error}"
        left -= sys.getsizeof(texts[name])
        if left < 0:
            return [], _too_much(raw, f"more than {size_text(limits().record)} of text")
        if len(skeleton) + start - at > MOST_STRUCTURE:
            break
        skeleton += raw[at:start]
        skeleton += name.encode()
        at = end
    if len(skeleton) + len(raw) - at > MOST_STRUCTURE:
        return [], _too_much(raw, f"more than {MOST_STRUCTURE} bytes of structure")
    skeleton += raw[at:]
    if _memory(skeleton) > left:
        return [], _too_much(raw, f"values that may take more than {size_text(limits().record)} of memory")
    values, problem = _parse(skeleton, starts)
    return [_filled(strip_value(value), texts) for value in values], problem


def _too_much(raw: bytes | bytearray, what: str) -> str:
    return f"a record of {len(raw)} bytes with {what}"


def _memory(skeleton: bytearray) -> int:
    """Return an upper bound of the bytes of memory that the values in JSON text take once they are parsed."""
    count = skeleton.count
    byte = ASCII if skeleton.isascii() else ANY if _BEYOND_BASIC.search(skeleton) else BASIC
    return len(skeleton) * byte + count(b",") * VALUE + count(b"[") * LIST + count(b"{") * MAPPING


def _parse(skeleton: bytearray, starts: tuple[str, ...]) -> tuple[list[Any], str | None]:
    if len(skeleton) <= AT_ONCE:
        try:
            return [orjson.loads(skeleton)], None
        except orjson.JSONDecodeError:
            return repair_values(skeleton, starts)
    try:
        return [_patient().decode(decode_json(skeleton))], None
    except RecursionError:
        return [], "nested too deeply"
    except ValueError as error:
        return [], f"not JSON: {error}"


def _patient() -> json.JSONDecoder:
    """Return the pure Python JSON parser of the standard library: slow, but it lets other threads run."""
    decoder: Any = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
    decoder.parse_string = json.decoder.py_scanstring  # type: ignore[attr-defined]
    decoder.scan_once = json.scanner.py_make_scanner(decoder)  # type: ignore[attr-defined]
    patient: json.JSONDecoder = decoder
    return patient


def _long_strings(raw: bytes | bytearray) -> Iterator[tuple[int, int]]:
    """Yield the offsets (start, end) of the content of each long string, without its quotes."""
    at = 0
    while (start := _find(raw, b'"', at)) >= 0:
        close = _closing(raw, start + 1)
        if close < 0:
            return  # torn: the parser reports it
        if close - start > LONG:
            yield start + 1, close
        at = close + 1


def _closing(raw: bytes | bytearray, at: int) -> int:
    """Return the offset of the quote that ends the string whose content begins at `at`; -1 when there is none."""
    first = at
    while (close := _find(raw, b'"', at)) >= 0:
        if not _run_of_backslashes(raw, close, first) % 2:
            return close
        at = close + 1
    return -1


def _run_of_backslashes(raw: bytes | bytearray, end: int, first: int) -> int:
    at = end
    while at > first and raw[at - 1] == 0x5C:
        at -= 1
    return end - at


def _find(raw: bytes | bytearray, byte: bytes, at: int) -> int:
    while at < len(raw):
        found = raw.find(byte, at, at + WINDOW)
        if found >= 0:
            return found
        at += WINDOW
    return -1


def _decode(raw: bytes | bytearray, start: int, end: int) -> str:
    """Return the decoded text of the string content raw[start:end], decoded in pieces; payloads and the middle of a
    very long string are replaced by a mark.
    """
    pieces: list[str] = []
    longest = LONGEST if _ascii(raw, start, end) else LONGEST // 2  # characters may take twice the room then
    at = start
    while at < end:
        if end - start > longest and start + longest // 2 <= at < end - longest // 2:
            pieces.append(f"\n{MARK}\n")
            at = _boundary(raw, start, end - longest // 2)
        cut = _boundary(raw, at, at + PIECE) if at + PIECE < end else end
        piece = strip_text(_text(bytes(raw[at:cut])))
        if piece != MARK or pieces[-1:] != [MARK]:
            pieces.append(piece)
        at = cut
    return "".join(pieces)


def _ascii(raw: bytes | bytearray, start: int, end: int) -> bool:
    return all(raw[at : min(at + PIECE, end)].isascii() for at in range(start, end, PIECE))


def _text(piece: bytes) -> str:
    quoted = b'"%b"' % piece
    try:
        text: str = orjson.loads(quoted)
    except orjson.JSONDecodeError:
        text = _LOOSE.decode(decode_json(quoted))
    return text


def _boundary(raw: bytes | bytearray, first: int, at: int) -> int:
    """Return the last offset up to `at` at which raw[first:] can be cut without splitting a character, an escape or a
    surrogate pair.
    """
    for _ in range(3):  # a character has at most three bytes after its first
        if raw[at] & 0xC0 == 0x80:
            at -= 1
    escape = raw.rfind(b"\\", max(first, at - 6), at)
    if escape < 0:
        return at
    if not _run_of_backslashes(raw, escape + 1, first) % 2:
        return escape + 1
    return escape - 6 if _ends_in_high_surrogate(raw, escape, first) else escape


def _ends_in_high_surrogate(raw: bytes | bytearray, end: int, first: int) -> bool:
    at = end - 6
    return (
        at > first
        and raw[at : at + 2] == b"\\u"
        and raw[at + 2 : at + 4].lower() in _HIGH
        and _run_of_backslashes(raw, at + 1, first) % 2 == 1
    )


_HIGH = (b"d8", b"d9", b"da", b"db")


def _filled(value: Any, texts: dict[str, str]) -> Any:
    """Return the JSON value with each placeholder replaced by the long string for which it stands; `texts` maps
    placeholders to strings.
    """
    box = [value]
    todo: list[Any] = [box]
    while todo:
        holder = todo.pop()
        if type(holder) is dict:
            for key in [key for key in holder if key in texts]:
                holder[texts[key]] = holder.pop(key)
        items = holder.items() if type(holder) is dict else enumerate(holder)
        for key, item in items:
            if type(item) is str:
                if item in texts:
                    holder[key] = texts[item]
            elif type(item) is dict or type(item) is list:
                todo.append(item)
    return box[0]

"""Frames of the MCP server as lines of bytes over file descriptors, without the library of the protocol."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

MAX_BYTES: Final = 4 * 1024 * 1024
MAX_DEPTH: Final = 64
_READ_BYTES: Final = 65_536


def private_pipes() -> tuple[int, int]:
    """Return copies of the file descriptors of stdin and stdout, and redirect the originals.

    Afterwards, other code that reads stdin gets the end of file, and other code that prints to stdout prints to
    stderr.
    """
    inward, outward = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return inward, outward


def lines(descriptor: int) -> Iterator[bytes | None]:
    """Yield the lines that are read from a file descriptor, without line ends and without blank lines.

    A line longer than MAX_BYTES is dropped and yields None.
    """
    rest = bytearray()
    too_long = False
    while True:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except OSError:
            data = b""
        if not data:
            if rest.strip() and not too_long:
                yield bytes(rest)
            return
        first, *others = data.split(b"\n")
        rest += first
        for other in others:
            if too_long or len(rest) > MAX_BYTES:
                yield None
            elif rest.strip():
                yield bytes(rest)
            rest, too_long = bytearray(other), False
        if len(rest) > MAX_BYTES:
            rest, too_long = bytearray(), True


def too_deep(line: bytes) -> bool:
    """Return whether the brackets of a line of JSON, those in strings excepted, are nested deeper than MAX_DEPTH."""
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return False
    depth, quoted, escaped = 0, False, False
    for byte in line:
        if quoted:
            quoted, escaped = escaped or byte != 0x22, byte == 0x5C and not escaped
        elif byte == 0x22:
            quoted = True
        elif byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                return True
        elif byte in b"]}":
            depth -= 1
    return False


def comparable(number: object) -> str | int | None:
    """Return the id of a request in the form in which ids are compared; None for a value that cannot be an id.

    The SDK compares the ids "7" and 7 as equal, so a cancelled "7" also ends the request 7.
    """
    if isinstance(number, str):
        try:
            return int(number)
        except ValueError:
            return number
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def write_all(descriptor: int, data: bytes) -> None:
    """Write bytes to a file descriptor; what cannot be written, because the other side is closed, is dropped."""
    rest = memoryview(data)
    with suppress(OSError):  # the client has closed its side: its end of input follows
        while rest:
            rest = rest[os.write(descriptor, rest) :]

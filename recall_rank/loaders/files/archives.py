"""Unpack compressed files as a stream: what an archive unpacks to, and the memory for it, are limited."""

from __future__ import annotations

import errno
import gzip
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Final

from recall_rank.loaders.limits import limits, size_text


def unpacked(file: IO[bytes], suffix: str, size: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of a file with the suffix .gz, .xz or .zst, in blocks of at most `size` bytes.

    Raises OSError for a damaged archive, for one that unpacks to more than `limits().unpacked` bytes, and for one that
    needs more memory than `limits().unpacker`; what could be unpacked before is yielded first.
    """
    left = limits().unpacked
    try:
        for block in UNPACKERS[suffix](file, size):
            if len(block) > left:
                yield block[:left]
                raise OSError(errno.EFBIG, f"unpacks to more than {size_text(limits().unpacked)}: the rest is not read")
            left -= len(block)
            yield block
    except (EOFError, lzma.LZMAError, zlib.error) as error:
        raise OSError(errno.EIO, f"damaged archive: {error}") from error


def _gunzip(file: IO[bytes], size: int) -> Iterator[bytes]:
    unpacker = gzip.GzipFile(fileobj=file, mode="rb")
    try:
        yield from iter(lambda: unpacker.read(size), b"")
    except gzip.BadGzipFile as error:
        raise OSError(errno.EIO, f"damaged archive: {error}") from error


def _unxz(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the unpacked bytes of every stream of an .xz file, in blocks of at most `size` bytes. Bytes after a stream
    that do not begin another stream are ignored.
    """
    most = limits().unpacker
    raw = file.read(size)
    streams = 0
    while raw or not streams:
        unpacker = lzma.LZMADecompressor(memlimit=most)
        while not unpacker.eof:
            try:
                block = unpacker.decompress(raw, size)
            except lzma.LZMAError as error:
                if "Memory usage limit" in str(error):
                    reason = f"needs more than {size_text(most)} of memory to unpack"
                    raise OSError(errno.ENOMEM, reason) from error
                if streams:
                    return
                raise
            if block:
                yield block
            raw = file.read(size) if unpacker.needs_input else b""
            if unpacker.needs_input and not raw:
                raise EOFError("it ends inside a stream")
        streams += 1
        raw = unpacker.unused_data.lstrip(b"\0")  # streams may be padded
        while not raw and (more := file.read(size)):
            raw = more.lstrip(b"\0")


def _unzstd(file: IO[bytes], size: int) -> Iterator[bytes]:
    """Yield the bytes of a .zst file; libzstd itself refuses windows of more than 128 MiB."""
    for module in ("compression.zstd", "zstandard"):
        try:
            unpacker = importlib.import_module(module)
        except ImportError:
            continue
        try:
            with unpacker.open(file, "rb") as stream:
                yield from iter(lambda: stream.read(size), b"")
        except unpacker.ZstdError as error:
            raise OSError(errno.EIO, f"damaged archive: {error}") from error
        return
    raise OSError(errno.ENOTSUP, "packed by zstd: the package zstandard, or Python 3.14, is needed to read it")


UNPACKERS: Final[dict[str, Callable[[IO[bytes], int], Iterator[bytes]]]] = {
    ".gz": _gunzip,
    ".xz": _unxz,
    ".zst": _unzstd,
}

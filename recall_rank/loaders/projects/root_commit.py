"""Find the root commit of a repository in git's own files, reading a bounded number of bytes."""

from __future__ import annotations

import re
import struct
import zlib
from functools import lru_cache
from pathlib import Path

from recall_rank.loaders.files.regular_files import read_small

GRAPH = 1 << 26  # bytes of a commit graph that are read
STEPS = 2000  # commits that are followed one by one
COMMIT = 1 << 16  # bytes of one commit

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_INITIAL = re.compile(r"0{40,64} ([0-9a-f]{40,64}) .*\tcommit \(initial\)")
_NONE = 0x70000000  # marks a missing parent in a commit graph


def find_root_commit(git: Path) -> str | None:
    """Return the id of the commit without parents; None when it cannot be found quickly. Of several in a commit graph
    it is the smallest id.

    The search reads the beginning of the log of HEAD, then the commit graph, then loose commit objects.
    """
    for look in (_from_log, _from_graph, _from_objects):
        try:
            found = look(git)
        except (OSError, ValueError, struct.error, zlib.error):
            continue
        if found:
            return found
    return None


def _from_log(git: Path) -> str | None:
    head, _ = read_small(git / "logs" / "HEAD", limit=4096)
    first = _INITIAL.match(head.decode("utf-8", "replace"))
    return first[1] if first else None


def _from_graph(git: Path) -> str | None:
    """Return the smallest id of a commit without parents in the commit graph that `git gc` writes; None when there is
    none.
    """
    data, whole = read_small(git / "objects" / "info" / "commit-graph", limit=GRAPH)
    if not whole or data[:5] != b"CGPH\x01" or data[5] not in {1, 2}:
        return None
    width = 20 if data[5] == 1 else 32
    chunks = {}
    for number in range(data[6]):
        name, offset = struct.unpack_from(">4sQ", data, 8 + 12 * number)
        chunks[name] = offset
    ids, commits = chunks[b"OIDL"], chunks[b"CDAT"]
    (count,) = struct.unpack_from(">I", data, chunks[b"OIDF"] + 255 * 4)
    for number in range(count):  # in the order of their ids
        (parent,) = struct.unpack_from(">I", data, commits + number * (width + 16) + width)
        if parent == _NONE:
            return data[ids + number * width : ids + (number + 1) * width].hex()
    return None


def _from_objects(git: Path) -> str | None:
    """Return the root commit reached from HEAD along first parents; None when a chain is too long. Raises OSError for a
    commit that is no loose object.
    """
    at = _head(git)
    for _ in range(STEPS):
        if at is None:
            return None
        parent = _first_parent(str(git), at)
        if parent is None:
            return at
        at = _checked(parent)
    return None


@lru_cache(maxsize=4 * STEPS)
def _first_parent(git: str, commit: str) -> str | None:
    """Return the id of the first parent of a commit; None for a root commit. Raises ValueError for an object that is
    not a commit. Cached, since objects never change.
    """
    raw, _ = read_small(Path(git, "objects", commit[:2], commit[2:]), limit=COMMIT)
    kind, _, body = zlib.decompressobj().decompress(raw, COMMIT).partition(b"\0")
    if not kind.startswith(b"commit "):
        raise ValueError(f"{commit} is no commit")
    headers = body.partition(b"\n\n")[0].decode("utf-8", "replace").split("\n")
    return next((line.removeprefix("parent ") for line in headers if line.startswith("parent ")), None)


def _head(git: Path) -> str | None:
    text = _line(git / "HEAD")
    name = text.removeprefix("ref: ")
    if name == text:
        return _checked(text)
    if not name.startswith("refs/") or ".." in name:
        return None
    try:
        return _checked(_line(git / name))
    except OSError:
        packed = read_small(git / "packed-refs")[0].decode("utf-8", "replace")
        ids = (line.partition(" ") for line in packed.split("\n"))
        return next((_checked(key) for key, _, ref in ids if ref.strip() == name), None)


def _line(path: Path) -> str:
    return read_small(path, limit=1024)[0].decode("utf-8", "replace").strip()


def _checked(text: str) -> str | None:
    """Return the text when it is a commit id, else None."""
    return text if _OID.fullmatch(text) else None

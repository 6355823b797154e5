"""Every state that a folder may have after a power failure while an index was written.

The calls that write are recorded. After a failure a file holds the bytes written before its last fsync; of later bytes
it holds none, all, a part, or zeros. A name is as it was at the last fsync of the folder; any of the later changes to
names may have been made, in any order. Nothing more is promised by a file system.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Final, Literal

Kind = Literal["create", "write", "sync", "rename", "link", "unlink", "sync names"]
Image = Mapping[str, bytes]
NAMING: Final = ("create", "rename", "link", "unlink")
MOST_PENDING: Final = 12  # changes of names at once, of which all choices are made


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call, on a file that is identified by a number."""

    kind: Kind
    file: int = -1
    name: str = ""
    to: str = ""
    at: int = 0
    data: bytes = b""


@contextmanager
def recorded(folder: Path) -> Iterator[list[Call]]:
    """Record the calls of `os` that change the files of a folder."""
    calls: list[Call] = []
    names = {path.name: number for number, path in enumerate(sorted(folder.iterdir()))} if folder.is_dir() else {}
    open_files: dict[int, int] = {}  # descriptor -> file; -1 is the folder
    places: dict[int, int] = {}
    given = {name: getattr(os, name) for name in ("open", "write", "lseek", "fsync", "rename", "link", "unlink")}
    next_file = len(names)

    def opened(path: Any, flags: int, *arguments: Any, **options: Any) -> int:
        nonlocal next_file
        descriptor: int = given["open"](path, flags, *arguments, **options)
        open_files.pop(descriptor, None)
        if os.fspath(path) == os.fspath(folder):
            open_files[descriptor] = -1
        elif "dir_fd" in options and flags & os.O_CREAT:
            names[path] = open_files[descriptor] = next_file
            places[descriptor] = 0
            calls.append(Call("create", next_file, path))
            next_file += 1
        return descriptor

    def write(descriptor: int, data: Any) -> int:
        count: int = given["write"](descriptor, data)
        if open_files.get(descriptor, -1) >= 0:
            calls.append(Call("write", open_files[descriptor], at=places[descriptor], data=bytes(data)[:count]))
            places[descriptor] += count
        return count

    def lseek(descriptor: int, place: int, how: int) -> int:
        places[descriptor] = given["lseek"](descriptor, place, how)
        return places[descriptor]

    def fsync(descriptor: int) -> None:
        given["fsync"](descriptor)
        if descriptor in open_files:
            file = open_files[descriptor]
            calls.append(Call("sync names") if file < 0 else Call("sync", file))

    def rename(name: str, to: str, **options: Any) -> None:
        given["rename"](name, to, **options)
        calls.append(Call("rename", names[name], name, to))
        names[to] = names.pop(name)

    def link(name: str, to: str, **options: Any) -> None:
        given["link"](name, to, **options)
        calls.append(Call("link", names[name], name, to))
        names[to] = names[name]

    def unlink(name: str, **options: Any) -> None:
        given["unlink"](name, **options)
        calls.append(Call("unlink", names.pop(name), name))

    made = {"open": opened, "write": write, "lseek": lseek, "fsync": fsync}
    try:
        for name, call in {**made, "rename": rename, "link": link, "unlink": unlink}.items():
            setattr(os, name, call)
        yield calls
    finally:
        for name, was in given.items():
            setattr(os, name, was)


def images(before: Image, calls: Sequence[Call]) -> Iterator[tuple[int, Image]]:
    """Yield the possible states after a failure behind the first n calls, for every n from 0 on.

    For each n, only states that no smaller n had are yielded, each of them once. `before` is the durable state of the
    folder. Files that no reader opens are left out.
    """
    seen: set[frozenset[tuple[str, bytes]]] = set()
    held = {name: number for number, name in enumerate(sorted(before))}
    for done in range(len(calls) + 1):
        if done == len(calls):
            seen.clear()
        for names in _names(held, calls[:done]):
            visible = {name: file for name, file in names.items() if not name.startswith("temporary-")}
            choices = {file: _contents(file, before, calls[:done]) for file in set(visible.values())}
            for contents in product(*choices.values()):
                chosen = dict(zip(choices, contents, strict=True))
                image = {name: chosen[file] for name, file in visible.items()}
                key = frozenset(image.items())
                if key not in seen:
                    seen.add(key)
                    yield done, image


def _names(before: Mapping[str, int], calls: Sequence[Call]) -> Iterator[dict[str, int]]:
    """Yield the possible sets of names: the durable changes with every choice of the other changes, each set once."""
    synced = max((at for at, call in enumerate(calls) if call.kind == "sync names"), default=-1)
    durable = [call for call in calls[: synced + 1] if call.kind in NAMING]
    pending = [call for call in calls[synced + 1 :] if call.kind in NAMING]
    assert len(pending) <= MOST_PENDING
    seen: set[frozenset[tuple[str, int]]] = set()
    for chosen in product((False, True), repeat=len(pending)):
        names = dict(before)
        for call in [*durable, *(call for call, kept in zip(pending, chosen, strict=True) if kept)]:
            if call.kind in ("rename", "unlink"):
                names.pop(call.name, None)
            if call.kind != "unlink":
                names[call.to or call.name] = call.file
        key = frozenset(names.items())
        if key not in seen:
            seen.add(key)
            yield names


def _contents(file: int, before: Image, calls: Sequence[Call]) -> list[bytes]:
    """Yield the possible contents of a file: the durable bytes, with none, all, a part or zeros for the later ones."""
    mine = [call for call in calls if call.file == file and call.kind in ("write", "sync")]
    synced = max((at for at, call in enumerate(mine) if call.kind == "sync"), default=-1)
    start = sorted(before.items())[file][1] if file < len(before) else b""
    durable = _written(start, mine[: synced + 1])
    later = [call for call in mine[synced + 1 :] if call.kind == "write"]
    if not later:
        return [durable]
    half = later[: len(later) // 2]
    next_one = later[len(half)]
    torn = [*half, replace(next_one, data=next_one.data[: len(next_one.data) // 2])]
    blank = [replace(call, data=bytes(len(call.data))) for call in later]
    made = [[], half, torn, blank, later[::2], later[1::2], later[:-1], later]
    return list(dict.fromkeys(_written(durable, each) for each in made))


def _written(data: bytes, calls: Sequence[Call]) -> bytes:
    made = bytearray(data)
    for call in calls:
        if call.kind == "write":
            made.extend(bytes(max(0, call.at + len(call.data) - len(made))))
            made[call.at : call.at + len(call.data)] = call.data
    return bytes(made)


def laid(image: Image, folder: Path) -> Path:
    """Write a state into a folder, whose files are removed first."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, data in image.items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_bytes(data)
    return folder


# --- planted faults: the same calls as a careless writer would make them --------------------------------------


def without_syncs(calls: Sequence[Call]) -> list[Call]:
    """Fault: files get their names before they are durable, because nothing is synced."""
    return [call for call in calls if call.kind != "sync"]


def without_folder_syncs(calls: Sequence[Call]) -> list[Call]:
    """Fault: nothing waits until names are durable."""
    return [call for call in calls if call.kind != "sync names"]


def named_first(calls: Sequence[Call]) -> list[Call]:
    """Fault: a file gets its name before it is durable."""
    return _swapped(calls, lambda one, two: one.kind == "sync" and two.kind in ("rename", "link"))


def removed_first(calls: Sequence[Call]) -> list[Call]:
    """Fault: a file is removed before its replacement is durable."""
    last = max(at for at, call in enumerate(calls) if call.kind == "sync names")
    published = max(at for at, call in enumerate(calls) if call.kind == "link")
    return [*calls[:published], *calls[last + 1 :], *calls[published : last + 1]]


def _swapped(calls: Sequence[Call], fits: Callable[[Call, Call], bool]) -> list[Call]:
    made = list(calls)
    for at in range(len(made) - 1):
        if fits(made[at], made[at + 1]):
            made[at], made[at + 1] = made[at + 1], made[at]
    return made

"""Plan and make an install of recall-rank into a host, and take it out again.

A plan changes nothing. All changes of a plan are made, or none. An install is planned only when taking it out of its
own result gives what was there before, byte for byte.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files as package_files
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, Final

from recall_rank.frontends.compaction.records import digest_of
from recall_rank.frontends.file_edits.project_files import (
    Change,
    EditError,
    ProjectFile,
    apply_changes,
    missing_folders,
    read_project_file,
)
from recall_rank.frontends.hosts.config_entries import entry_of
from recall_rank.frontends.hosts.file_parts import EntryPart, FilePart, file_parts, is_empty, names_us
from recall_rank.frontends.hosts.host import Host, HostPlace, Launch, ShippedFile
from recall_rank.frontends.hosts.install_records import (
    FileRecord,
    InstallRecord,
    read_install,
    remove_install,
    write_install,
)
from recall_rank.model.option_errors import error_text

_LARGEST: Final = 1 << 26  # bytes of a configuration: Claude Code keeps its state in one file with it
FILE_MARK: Final = b"recall-rank install"  # in the first bytes of each shipped file that can have a comment
_MARK_WITHIN: Final = 400
_FRONT_MATTER: Final = "---\n"  # the first line of a Markdown file
_SHELL_LINE: Final = "\n    recall-rank "  # in a Markdown file: the beginning of a command line


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """Changes that are not made yet, the record afterwards (None: it is removed), and remarks for a person."""

    host: Host
    folder: Path
    changes: tuple[Change, ...]
    record: InstallRecord | None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class InstallState:
    """The part of an install that is there: our entry (None: no entry), our files by name, the record, remarks."""

    folder: Path
    entry: dict[str, Any] | None
    files: tuple[str, ...]
    record: InstallRecord | None
    remarks: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Return whether anything of ours is there."""
        return self.entry is not None or bool(self.files)


# --- install ------------------------------------------------------------------------------------------


def plan_install(host: Host, place: HostPlace, launch: Launch, version: str, *, hooks: bool = True) -> InstallPlan:
    """Return the changes that install recall-rank into a host at a place; none where it is installed like this.

    Raises EditError when something of another's stands in the way, or an edit could not be undone.
    """
    place = _real(place)
    known = read_install(host.name, str(place.folder))
    changes: list[Change] = []
    records = dict(known.files) if known is not None else {}
    parts_of = file_parts(host, place, _config(place, known), launch, hooks=hooks)
    for name, parts in parts_of.items():
        if name in records or any(part.is_wanted for part in parts):
            file = _read(place, name)
            after, records[name] = _with_parts(file, parts, known)
            if after != file.data:
                changes.append(Change(file, after))
    shipped = {name: each for name, each in _shipped(host, place) if hooks or not each.is_hook}
    for name, each in shipped.items():
        file = _read(place, name)
        content = _content(each, launch, hooks=hooks)
        mine = records.get(name)
        if file.data is not None and file.data != content and not _is_ours(file.data, mine, each):
            raise EditError(f"{name} is there already, and recall-rank did not write it")
        records[name] = _recorded(file, content, mine)
        if content != file.data:
            changes.append(Change(file, content))
    for name in sorted(set(records) - set(shipped) - set(parts_of)):  # of an older version, or with hooks before
        file = _read(place, name)
        if file.data is not None and _is_ours(file.data, records[name], None):
            changes.append(Change(file, None))
        del records[name]
    folders = dict.fromkeys(known.folders if known is not None else ())
    for change in changes:
        if change.after is not None:
            folders.update(dict.fromkeys(str(each) for each in missing_folders(change.file.path.parent)))
    entry = host.entry(launch)
    record = InstallRecord(host.name, str(place.folder), version, launch.program, entry, tuple(folders), records)
    return InstallPlan(host, place.folder, tuple(changes), record, host.notices(place))


def install(plan: InstallPlan) -> None:
    """Make the changes of plan_install(): all, or none when one cannot be made. Raises EditError and OSError, with the
    files and the record as they were.
    """
    if plan.record is None:
        return
    before = read_install(plan.host.name, str(plan.folder))
    write_install(plan.record)
    try:
        apply_changes(plan.changes)
    except BaseException:
        with suppress(OSError):
            remove_install(plan.host.name, str(plan.folder)) if before is None else write_install(before)
        raise


def _with_parts(
    file: ProjectFile, parts: Sequence[FilePart], known: InstallRecord | None
) -> tuple[bytes | None, FileRecord]:
    """Return a file with the parts of an install that are wanted and without the others, and what to record of it.

    What an earlier install put in is taken out first, so that the edit starts from the text of others.
    """
    mine = known.files.get(file.name) if known is not None else None
    may_stay = [part.name for part in parts] if mine is None else mine.kept
    kept = [part.name for part in parts if part.name in may_stay and _stays(part, file.data)]
    current = all(part.name in kept or part.is_current(file.data) for part in parts)
    data, made = file.data, mine.made if mine is not None else ()
    added: list[FilePart] = []
    for part in reversed(parts if not current else ()):
        if data is None or part.name in kept or not part.is_there(data):
            continue
        if not part.is_recorded(data, known):
            said = "changed since the install" if known is not None else "there, and install did not write it"
            raise EditError(f"{file.name}: {part.what}: {said}; `recall-rank uninstall` takes it out")
        data = part.removed(data, made)
    if data != file.data and data is not None and mine is not None and not mine.existed and is_empty(data, parts):
        data = None
    before = data
    for part in parts:
        if part.is_wanted and not part.is_current(data):
            data, keys = part.added(data)
            made, added = tuple(dict.fromkeys((*made, *keys))), [*added, part]
    undone = data
    for part in reversed(added):
        undone = part.removed(undone or b"", made)
    if undone != before and not (before is None and undone is not None and is_empty(undone, parts)):
        raise EditError(f"{file.name} cannot be edited so that `recall-rank uninstall` would undo it exactly")
    return data, replace(_recorded(file, data, mine), made=made, kept=tuple(kept))


def _stays(part: FilePart, data: bytes | None) -> bool:
    """Return whether a part that no install put in stays as it is."""
    return part.is_there(data) and (part.is_current(data) or not part.is_wanted)


def _recorded(file: ProjectFile, after: bytes | None, known: FileRecord | None) -> FileRecord:
    """Return what to record of a file: what was there before the first install, and the content now."""
    if known is not None:
        return replace(known, after=digest_of(after))
    return FileRecord(file.data is not None, digest_of(file.data), digest_of(after))


# --- uninstall ----------------------------------------------------------------------------------------


def plan_uninstall(host: Host, place: HostPlace) -> InstallPlan:
    """Return the changes that take recall-rank out of a host at a place; none where nothing of ours is there.

    Without a record, an entry of our form goes, and files that carry our mark. Raises EditError when a file cannot be
    read, or an entry not be taken out.
    """
    place = _real(place)
    record = read_install(host.name, str(place.folder))
    changes: list[Change] = []
    remarks: list[str] = []
    parts_of = file_parts(host, place, place.config, None)
    for name, parts in parts_of.items():
        file = _read(place, name)
        mine = record.files.get(name) if record is not None else None
        after = _without_parts(file, parts, record, remarks)
        if after != file.data:
            changes.append(Change(file, after))
            if mine is not None and not mine.kept and digest_of(after) != mine.before:
                remarks.append(f"{name} was changed since the install: only what is ours is taken out")
    names = dict.fromkeys((*(name for name, _ in _shipped(host, place)), *(record.files if record is not None else ())))
    shipped = dict(_shipped(host, place))
    for name in names:
        file = _read(place, name)
        if name in parts_of or file.data is None:
            continue
        mine = record.files.get(name) if record is not None else None
        if mine is not None and mine.before == mine.after:
            remarks.append(f"{name} was there before the install and stays; uninstall again removes it")
        elif _is_ours(file.data, mine, shipped.get(name)):
            changes.append(Change(file, None))
        else:
            remarks.append(f"{name} was changed since the install, or is another's, and stays")
    return InstallPlan(host, place.folder, tuple(changes), record, tuple(remarks))


def _without_parts(
    file: ProjectFile, parts: Sequence[FilePart], record: InstallRecord | None, remarks: list[str]
) -> bytes | None:
    """Return a file without the parts that are ours, None for a file that goes; what stays is told in `remarks`."""
    mine = record.files.get(file.name) if record is not None else None
    data = file.data
    for part in reversed(parts):
        if data is None or not part.is_there(data):
            continue
        if mine is not None and part.name in mine.kept:
            remarks.append(f"{file.name}: {part.what}: there before the install, and left; uninstall again removes it")
        elif part.runs_us(data) or part.is_recorded(data, record):
            data = part.removed(data, mine.made if mine is not None else None)
        else:
            remarks.append(f"{file.name}: {part.what}: it starts another program, and is left")
    if data is not None and data != file.data and not (mine is not None and mine.existed) and is_empty(data, parts):
        return None
    return data


def uninstall(plan: InstallPlan) -> bool:
    """Make the changes of plan_uninstall(), remove the folders that an install made and are empty, and the record;
    return whether there was anything to do. Raises EditError and OSError, with the files as they were.
    """
    apply_changes(plan.changes)
    for folder in reversed(plan.record.folders if plan.record is not None else ()):
        with suppress(OSError):
            _remove_compiled(Path(folder))
            Path(folder).rmdir()  # fails, as it should, while anything is in it
    with suppress(OSError):  # a record that stays keeps nothing from being installed again
        remove_install(plan.host.name, str(plan.folder))
    return bool(plan.changes) or plan.record is not None


def _remove_compiled(folder: Path) -> None:
    """Remove what a host's Python keeps of modules that are no longer in a folder which an install made."""
    for path in (folder / "__pycache__").glob("*.pyc"):
        if not (folder / f"{path.name.partition('.')[0]}.py").exists():
            path.unlink()
    if (folder / "__pycache__").is_dir():
        (folder / "__pycache__").rmdir()


# --- state --------------------------------------------------------------------------------------------


def install_state(host: Host, place: HostPlace) -> InstallState:
    """Return what of an install is there. What cannot be read is told in remarks, not raised."""
    remarks: list[str] = []
    folder, entry, found, record = place.folder, None, [], None
    try:
        place = _real(place)
        folder = place.folder
        record = read_install(host.name, str(folder))
        for name, parts in file_parts(host, place, place.config, None).items():
            data = _read(place, name).data
            for part in parts:
                if part.runs_us(data) or (part.is_there(data) and part.is_recorded(data, record)):
                    found.append(name)
                    entry = entry_of(data, part.where) if isinstance(part, EntryPart) else entry
                elif part.is_there(data):
                    remarks.append(f"{name}: {part.what} starts another program")
        for name, each in _shipped(host, place):
            file = _read(place, name)
            mine = record.files.get(name) if record is not None else None
            if file.data is not None and _is_ours(file.data, mine, each):
                found.append(name)
            elif mine is not None:
                remarks.append(f"{name} is missing" if file.data is None else f"{name} was changed since the install")
    except EditError as error:
        remarks.append(error_text(error))
    return InstallState(folder, entry, tuple(dict.fromkeys(found)), record, tuple(remarks))


def _is_ours(data: bytes, record: FileRecord | None, shipped: ShippedFile | None) -> bool:
    """Return whether a file is as we wrote it, or, without a record, carries our mark or has the keys that we write."""
    if record is not None:
        return digest_of(data) == record.after
    if shipped is None or shipped.written is None:
        return FILE_MARK in data[:_MARK_WITHIN]
    try:
        value = json.loads(data)
    except ValueError:
        return False
    keys = {key for hooks in (True, False) for key in shipped.written(Launch(("recall-rank",)), hooks)}
    return isinstance(value, dict) and set(value) <= keys and names_us(value)


def _config(place: HostPlace, known: InstallRecord | None) -> tuple[str, ...]:
    """Return the configuration file of a place, () for no configuration: the one that a recorded install edited, else
    the first that is there, else the last.
    """
    edited = (name for name in place.config if known is not None and name in known.files)
    there = (name for name in place.config if os.path.lexists(place.folder / name))
    return tuple(chain(edited, there, place.config[-1:]))[:1]


def _shipped(host: Host, place: HostPlace) -> Iterator[tuple[str, ShippedFile]]:
    """Yield the name, relative to the place's folder, of each file that a host gets in the scope of the place."""
    for each in host.files:
        if each.scope in (None, place.scope):
            yield PurePosixPath(place.files, each.target).as_posix(), each


def _content(shipped: ShippedFile, launch: Launch, *, hooks: bool) -> bytes:
    if shipped.written is not None:
        return json.dumps(shipped.written(launch, hooks), indent=2, ensure_ascii=False).encode() + b"\n"
    text = (package_files(__package__) / "files" / shipped.source).read_text("utf-8")
    text = text.replace(_SHELL_LINE, f"\n    {shlex.join(launch.program)} ")
    return _marked(text, PurePosixPath(shipped.source).suffix).encode()


def _marked(text: str, suffix: str) -> str:
    """Return the text of a shipped file with our mark as a comment; unchanged where its form has none."""
    mark = f"Put here by `{FILE_MARK.decode()}`; `recall-rank uninstall` removes it."
    if suffix == ".md" and text.startswith(_FRONT_MATTER):
        return f"{_FRONT_MATTER}# {mark}\n{text.removeprefix(_FRONT_MATTER)}"
    comment = {".ts": f"// {mark}", ".toml": f"# {mark}", ".md": f"<!-- {mark} -->"}.get(suffix)
    return text if comment is None else f"{comment}\n{text}"


def _real(place: HostPlace) -> HostPlace:
    """Return a place with the real path of its folder, the nearest existing one above it for a folder to be made."""
    return replace(place, folder=Path(os.path.realpath(place.folder)))


def _read(place: HostPlace, name: str) -> ProjectFile:
    return read_project_file(place.folder, name, _LARGEST, str(place.folder))

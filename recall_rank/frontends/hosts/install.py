"""Plan and make an install of recall-rank into a host, and take it out again.

A plan changes nothing. All changes of a plan are made, or none. An install is planned only when taking it out of its
own result gives what was there before, byte for byte.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files as package_files
from pathlib import Path
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
from recall_rank.frontends.hosts.config_entries import (
    PLUGIN_ENTRY,
    ConfigSyntax,
    entry_of,
    is_empty,
    with_entry,
    without_entry,
)
from recall_rank.frontends.hosts.host import ENTRY, Host, HostPlace, Launch, ShippedFile
from recall_rank.frontends.hosts.install_records import (
    FileRecord,
    InstallRecord,
    read_install,
    remove_install,
    write_install,
)

_LARGEST: Final = 1 << 26  # bytes of a configuration: Claude Code keeps its state in one file with it
FILE_MARK: Final = b"recall-rank install"  # in the first bytes of each shipped file that can have a comment
_MARK_WITHIN: Final = 400


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
    wanted = host.entry(launch)
    config = _config(place)
    shipped = {place_of: each for place_of, each in _shipped(host, place) if hooks or not each.is_hook}
    if config is not None and (wanted is not None or (known is not None and config in known.files)):
        file = _read(place, config)
        where = ConfigSyntax(host.syntax, host.path, config)
        after, made = _installed(file, wanted, where, known)
        _keep(file, after, made, changes, records)
        if after != file.data and wanted is not None:
            _check_undone(file, after, made, where, known)
    for name, each in shipped.items():
        file = _read(place, name)
        content = _content(each, launch, hooks=hooks)
        if file.data is not None and file.data != content and not _is_ours(file.data, records.get(name), each):
            raise EditError(f"{name} is there already, and recall-rank did not write it")
        _keep(file, content, (), changes, records)
    for name in sorted(set(records) - set(shipped) - {config}):  # of an older version, or with hooks before
        file = _read(place, name)
        if file.data is not None and _is_ours(file.data, records[name], None):
            changes.append(Change(file, None))
        del records[name]
    folders = dict.fromkeys(known.folders if known is not None else ())
    for change in changes:
        if change.after is not None:
            folders.update(dict.fromkeys(str(each) for each in missing_folders(change.file.path.parent)))
    record = InstallRecord(host.name, str(place.folder), version, launch.program, wanted, tuple(folders), records)
    return InstallPlan(host, place.folder, tuple(changes), record, host.remarks)


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


def _installed(
    file: ProjectFile, wanted: dict[str, Any] | None, where: ConfigSyntax, known: InstallRecord | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """Return a configuration with the wanted entry, or without ours for None, and the keys that had to be added."""
    there = entry_of(file.data, where)
    mine = known.files.get(where.name) if known is not None else None
    if there == wanted:
        return file.data, mine.made if mine is not None else ()
    data = file.data
    if there is not None and data is not None:
        if known is None or there != known.entry:
            said = "was changed since the install" if known is not None else "is there, and install did not write it"
            raise EditError(f'{where.name}: the entry "{ENTRY}" {said}; `recall-rank uninstall` removes it')
        data = without_entry(data, where, mine.made if mine is not None else ())
        if mine is not None and not mine.existed and is_empty(data, where):
            data = None
    return (data, ()) if wanted is None else with_entry(data, wanted, where)


def _keep(
    file: ProjectFile,
    after: bytes | None,
    made: tuple[str, ...],
    changes: list[Change],
    records: dict[str, FileRecord],
) -> None:
    """Add a change to a plan, if it is one, and what has to be recorded of its file."""
    known = records.get(file.name)
    if known is not None:  # what was there before the first install counts
        records[file.name] = FileRecord(known.existed, known.before, digest_of(after), made)
    else:
        records[file.name] = FileRecord(file.data is not None, digest_of(file.data), digest_of(after), made)
    if after != file.data:
        changes.append(Change(file, after))


def _check_undone(
    file: ProjectFile, after: bytes | None, made: tuple[str, ...], where: ConfigSyntax, known: InstallRecord | None
) -> None:
    """Raise EditError unless taking the entry out of a first install's result gives the content before."""
    if known is not None and where.name in known.files:
        return
    undone = None if after is None else without_entry(after, where, made)
    if undone != file.data and not (file.data is None and undone is not None and is_empty(undone, where)):
        raise EditError(f"{where.name} cannot be edited so that `recall-rank uninstall` would undo it exactly")


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
    for config in place.config:
        file = _read(place, config)
        where = ConfigSyntax(host.syntax, host.path, config)
        found = entry_of(file.data, where)
        if file.data is None or found is None:
            continue
        mine = record.files.get(config) if record is not None else None
        if mine is not None and mine.before == mine.after:
            remarks.append(f"{config}: the entry was there before the install and stays; uninstall again removes it")
            continue
        if not (is_our_entry(found) or (record is not None and found == record.entry)):
            remarks.append(f'{config}: the entry "{ENTRY}" starts another program and stays')
            continue
        after: bytes | None = without_entry(file.data, where, mine.made if mine is not None else None)
        if after is not None and entry_of(after, where) is not None:
            raise EditError(f'{config}: the entry "{ENTRY}" was moved out of its marks: take it out by hand')
        if after is not None and (mine is None or not mine.existed) and is_empty(after, where):
            after = None
        changes.append(Change(file, after))
        if mine is not None and digest_of(after) != mine.before:
            remarks.append(f"{config} was changed since the install: only our entry is taken out")
    names = dict.fromkeys((*(name for name, _ in _shipped(host, place)), *(record.files if record is not None else ())))
    shipped = dict(_shipped(host, place))
    for name in names:
        if name in place.config:
            continue
        file = _read(place, name)
        if file.data is None:
            continue
        mine = record.files.get(name) if record is not None else None
        if mine is not None and mine.before == mine.after:
            remarks.append(f"{name} was there before the install and stays; uninstall again removes it")
        elif _is_ours(file.data, mine, shipped.get(name)):
            changes.append(Change(file, None))
        else:
            remarks.append(f"{name} was changed since the install, or is another's, and stays")
    return InstallPlan(host, place.folder, tuple(changes), record, tuple(remarks))


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
        for config in place.config:
            value = entry_of(_read(place, config).data, ConfigSyntax(host.syntax, host.path, config))
            if value is not None and (is_our_entry(value) or (record is not None and value == record.entry)):
                entry = value
                found.append(config)
            elif value is not None:
                remarks.append(f'{config}: the entry "{ENTRY}" starts another program')
        for name, each in _shipped(host, place):
            file = _read(place, name)
            mine = record.files.get(name) if record is not None else None
            if file.data is not None and _is_ours(file.data, mine, each):
                found.append(name)
            elif mine is not None:
                remarks.append(f"{name} is missing" if file.data is None else f"{name} was changed since the install")
    except EditError as error:
        remarks.append(str(error))
    return InstallState(folder, entry, tuple(found), record, tuple(remarks))


def command_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command line that an entry starts, empty when it has none."""
    command, arguments = entry.get("command"), entry.get("args", [])
    words = [command] if isinstance(command, str) else command
    if not isinstance(words, list) or not isinstance(arguments, list):
        return ()
    return tuple(each for each in (*words, *arguments) if isinstance(each, str))


def is_our_entry(entry: Mapping[str, Any]) -> bool:
    """Return whether an entry names our plugin, or starts the MCP server of recall-rank, wherever the program lies."""
    if entry == PLUGIN_ENTRY:
        return True
    words = command_of(entry)
    if "mcp" not in words:
        return False
    before = words[: words.index("mcp")]
    return before[-2:] == ("-m", "recall_rank") or (bool(before) and Path(before[-1]).stem == "recall-rank")


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
    keys = set(shipped.written(Launch(("recall-rank",)), False))
    return isinstance(value, dict) and "command" in value and set(value) <= keys


def _config(place: HostPlace) -> str | None:
    """Return the configuration file of a place: the first that is there, else the last; None for no configuration."""
    there = (name for name in place.config if os.path.lexists(place.folder / name))
    return next(there, place.config[-1] if place.config else None)


def _shipped(host: Host, place: HostPlace) -> Iterator[tuple[str, ShippedFile]]:
    """Yield the name, relative to the place's folder, of each file that a host gets."""
    for each in host.files:
        yield (f"{place.files}/{each.target}" if place.files else each.target), each


def _content(shipped: ShippedFile, launch: Launch, *, hooks: bool) -> bytes:
    if shipped.written is not None:
        return json.dumps(shipped.written(launch, hooks), indent=2, ensure_ascii=False).encode() + b"\n"
    text = (package_files(__package__) / "files" / shipped.source).read_text("utf-8")
    mark = f"// Put here by `{FILE_MARK.decode()}`; `recall-rank uninstall` removes it.\n"
    return ((mark if shipped.source.endswith(".ts") else "") + text).encode()


def _real(place: HostPlace) -> HostPlace:
    """Return a place with the real path of its folder, the nearest existing one above it for a folder to be made."""
    return HostPlace(Path(os.path.realpath(place.folder)), place.config, place.files)


def _read(place: HostPlace, name: str) -> ProjectFile:
    return read_project_file(place.folder, name, _LARGEST, str(place.folder))

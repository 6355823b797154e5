"""OpenCode before version 1.2: a tree of JSON files, one for each session, message and message part, and files of
large outputs.

Two layouts are read. The newer one, `session/PROJECT/ID.json`, `message/SESSION/ID.json` and `part/MESSAGE/ID.json`,
was checked against a store that version 1.1 wrote. The older one, `session/info`, `session/message/SESSION` and
`session/part/SESSION/MESSAGE`, was implemented from the program's own migration and not checked against a real store.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import xxhash

from recall_rank.loaders.content.external_outputs import ExternalOutputs
from recall_rank.loaders.content.times import odd_times
from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.regular_files import read_small
from recall_rank.loaders.json.document import parse_object
from recall_rank.loaders.json.parse import Record
from recall_rank.loaders.limits import limits, size_text
from recall_rank.loaders.malformed import add_malformed
from recall_rank.loaders.opencode.session import AGENT, MESSAGE_TIMES, SESSION_TIMES, session_from
from recall_rank.loaders.store_places import resolve_store
from recall_rank.model import BaseSource, Malformed, Reading, Source, Unit

NAME = "opencode-json"
SUFFIX = ".json"
VERSION = 2  # of the layout, the newest that is known here


class OpenCodeTree(BaseSource):
    """A source for one `storage` folder. Each session is one unit, read on its own."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.name = name or AGENT
        self.location = str(path)
        self.warnings: list[str] = []
        self._shown = path
        self._root = resolve_store(path)
        self._oldest = (self._root / "session" / "info").is_dir()

    def units(self) -> Iterable[Unit]:
        """Return the sessions as units, including those whose own record is lost. Afterwards `warnings` lists folders
        that may not be read, the number of messages of which only parts are left, and a layout newer than the known
        ones. Raises OSError when the storage folder cannot be listed.
        """
        os.scandir(self._root).close()  # raises where there is nothing to list
        found = {path.stem: path for path in self._heads()}
        self.warnings = [f"{folder}: permission denied" for folder in self._closed()]
        if not self._oldest:
            self.warnings += self._lost_parts()
        version = self._version()
        if version > VERSION:
            self.warnings.append(f"version {version} of the layout was read as far as version {VERSION} goes")
        for folder in _folders(self._messages("")):
            if folder.name not in found and any(_records(folder)):
                found[folder.name] = folder
        return [Unit(key, str(self._shown / found[key].relative_to(self._root))) for key in sorted(found)]

    def files(self) -> Iterator[str]:
        """Yield the paths of the records of sessions, messages and message parts."""
        yield from map(str, self._heads())
        for below in ("session/message", "session/part") if self._oldest else ("message", "part"):
            for folder, _, names in os.walk(self._root / below):
                yield from (f"{folder}/{name}" for name in names if _is_record(name))

    def signature(self, unit: Unit) -> bytes:
        """Return a digest of inode, size and modification time of every file of the session."""
        digest = xxhash.xxh3_128()
        head = self._head(unit.key)
        for path in [head] if head else []:
            digest.update(_state(path.stat()))
        for message in _records(self._messages(unit.key)):
            digest.update(message.name.encode() + _state(message.stat(follow_symlinks=False)))
            for part in _records(self._parts(unit.key, _stem(message))):
                digest.update(part.name.encode() + _state(part.stat(follow_symlinks=False)))
        return digest.digest()

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        malformed: list[Malformed] = []
        warnings = []
        head = self._head(unit.key)
        info = (self._object(head, malformed, SESSION_TIMES) if head else None) or {}
        if head is None:
            warnings.append(f"session {unit.key} has messages but no record of its own")
        messages: dict[str, Record] = {}
        parts: dict[str, list[tuple[str, Record]]] = {}
        for entry in _records(self._messages(unit.key)):
            key = _stem(entry)
            messages[key] = self._object(Path(entry.path), malformed, MESSAGE_TIMES) or {}
            parts[key] = []
            for part in _records(self._parts(unit.key, key)):
                content = self._object(Path(part.path), malformed)
                if content is not None:
                    parts[key].append((_stem(part), content))
        if head is None and not messages:
            return Reading([])
        info.setdefault("worktree", self._worktree(info))
        outputs = ExternalOutputs(self._root.parent, [self._root.parent / "tool-output"])
        session = session_from(unit.key, info, messages, parts, outputs, self.name)
        return Reading([session], malformed, warnings + outputs.warnings())

    def _object(self, path: Path, malformed: list[Malformed], times: Sequence[str] = ()) -> Record | None:
        """Return the JSON object in a file; None when it cannot be read, and the reason is added to `malformed`.
        `times` are the dotted paths of the values in it that must be times.
        """
        try:
            most = limits().element
            raw, whole = read_small(path, self._root, most)
            value, problem = parse_object(raw) if whole else (None, f"larger than {size_text(most)}")
        except OSError as error:
            value, problem = None, error.strerror or str(error)
        problems = ([problem] if problem else []) + list(odd_times(value or {}, *times))
        shown = str(self._shown / path.relative_to(self._root))
        add_malformed(malformed, *(Malformed(shown, "line 1", each) for each in problems))
        return value

    def _worktree(self, info: Record) -> str | None:
        project = text_of(info.get("projectID"))
        if not project or self._oldest or not _is_record(project + SUFFIX):
            return None
        try:
            raw, _ = read_small(self._root / "project" / (project + SUFFIX), self._root)
        except (OSError, ValueError):
            return None
        return text_of(mapping(parse_object(raw)[0]).get("worktree"))

    # --- where things lie ------------------------------------------------------------------------------

    def _heads(self) -> list[Path]:
        """Return the paths of the sessions' own records; for a session in two projects the newest record comes last."""
        sessions = self._root / "session"
        folders = [sessions / "info"] if self._oldest else _folders(sessions)
        found = [Path(entry.path) for folder in folders for entry in _records(folder)]
        return sorted(found, key=lambda path: (path.stem, _changed(path)))

    def _head(self, key: str) -> Path | None:
        sessions = self._root / "session"
        folders = [sessions / "info"] if self._oldest else _folders(sessions)
        found = [path for folder in folders if _changed(path := folder / (key + SUFFIX))]
        return max(found, key=_changed, default=None)

    def _messages(self, session: str) -> Path:
        return self._root / ("session/message" if self._oldest else "message") / session

    def _parts(self, session: str, message: str) -> Path:
        return self._root / f"session/part/{session}/{message}" if self._oldest else self._root / "part" / message

    def _closed(self) -> Iterator[Path]:
        """Yield the folders that may not be read."""
        for above in (self._root / "session", self._messages("")):
            for folder in [above, *_folders(above)]:
                try:
                    os.scandir(folder).close()
                except PermissionError:
                    yield self._shown / folder.relative_to(self._root)
                except OSError:  # not there
                    pass

    def _version(self) -> int:
        """Return the number of format migrations that the store went through; 0 when it is not recorded."""
        try:
            text = read_small(self._root / "migration", self._root, 64)[0].strip()
        except OSError:
            return 0
        return int(text) if text.isdigit() and len(text) < 9 else 0

    def _lost_parts(self) -> list[str]:
        known = {_stem(entry) for folder in _folders(self._messages("")) for entry in _records(folder)}
        lost = [folder.name for folder in _folders(self._root / "part") if folder.name not in known]
        count = sum(any(_records(self._root / "part" / name)) for name in lost)
        what = "message" if count == 1 else "messages"
        return [f"of {count} {what} only the parts are left"] if count else []


def _is_record(name: str) -> bool:
    return name.endswith(SUFFIX) and not name.startswith(".") and "/" not in name and "\\" not in name


def _stem(entry: os.DirEntry[str]) -> str:
    return entry.name.removesuffix(SUFFIX)


def _records(folder: Path) -> list[os.DirEntry[str]]:
    """Return the entries of the JSON files in a folder, sorted by name; empty when the folder is missing or may not be
    read.
    """
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if _is_record(entry.name) and entry.is_file(follow_symlinks=False)]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _changed(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:  # not there, or not for us
        return 0


def _state(status: os.stat_result) -> bytes:
    return b"%d.%d.%d;" % (status.st_ino, status.st_size, status.st_mtime_ns)


# --- recognition -----------------------------------------------------------------------------------


def recognise(path: Path) -> Source | None:
    """Return a source for a storage folder under any name, recognised by the folders in it; None for any other path."""
    sessions = path / "session"
    oldest = (sessions / "info").is_dir() and (sessions / "message").is_dir()
    if oldest or (sessions.is_dir() and (path / "message").is_dir() and (path / "part").is_dir()):
        return OpenCodeTree(path)
    return None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the storage folders of this machine, including those of single projects."""
    data = environ.get("XDG_DATA_HOME")
    bases = [Path(data)] if data else [home / ".local" / "share"]
    bases += [Path(environ[name]) for name in ("LOCALAPPDATA", "APPDATA") if environ.get(name)]
    bases.append(home / "Library" / "Application Support")
    seen = set()
    for base in bases:
        folder = base / AGENT
        for storage in [folder / "storage", *sorted(folder.glob("project/*/storage"))]:
            real = os.path.realpath(storage)
            source = recognise(storage) if real not in seen and storage.is_dir() else None
            if source is not None:
                seen.add(real)
                yield source

"""The objects of an index as a Folder, so that generations are published in a store as they are in a folder.

A store has no rename and no link. A file is written completely before it gets its name, in one request; a manifest is
written by a conditional put, which fails when another writer has published a generation of that number.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from recall_rank.index.errors import StoreError
from recall_rank.index.remote.object_store import ObjectStore
from recall_rank.index.remote.staged_folder import StagedFolder, remove_killed
from recall_rank.index.storage.folder import Folder, WrittenFile, new_name, system_id


class RemoteFolder(Folder):
    """The part of a Folder by which publish() and newest_manifest() read and write a store."""

    __slots__ = ("_local", "store")

    def __init__(self, store: ObjectStore) -> None:
        self.store = store
        self._local: StagedFolder | None = None  # files that are not in the store yet

    def close(self) -> None:
        if self._local is not None:
            self._local.close()

    @property
    def machine(self) -> str:
        return system_id()

    def where(self, name: str) -> str:
        return self.store.where(name)

    def names(self) -> list[str]:
        return self.store.names()

    def open(self, name: str) -> int:
        """Return a read-only descriptor of a copy of an object, or of its beginning, which shows that it is longer than
        a manifest may be. Raises FileNotFoundError.
        """
        data = self.store.read(name)
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            return os.dup(file.fileno())

    def write(self, fill: Callable[[int], bytes]) -> WrittenFile:
        name = new_name("temporary", self.machine)
        descriptor = os.open(self._path(name), os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            header = fill(descriptor)
            return WrittenFile(name, header, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)

    def rename_temporary(self, temporary: str, kind: str) -> str:
        name = new_name(kind, self.machine)
        self.store.put(self._path(temporary), name)
        self._path(temporary).unlink()
        return name

    def claim(self, temporary: str, name: str) -> None:
        self.store.put_new(self._path(temporary).read_bytes(), name)
        self.remove(temporary)

    def replace(self, temporary: str, name: str) -> None:
        """Raise StoreError: no object is ever written twice."""
        raise StoreError(errno.ENOTSUP, os.strerror(errno.ENOTSUP), self.where(name))

    def unlink(self, name: str) -> None:
        if self._local is not None and self._path(name).exists():  # it was never put
            self._path(name).unlink()
        else:
            self.store.delete(name)

    def sync(self) -> None:
        """Make the names of the objects durable, where they are not since the store has acknowledged them."""
        self.store.sync()

    def leftovers(self) -> list[str]:
        """Return the names of objects that killed writers left, and remove what these had staged on this machine."""
        remove_killed()
        return super().leftovers()

    def age(self, name: str) -> float:
        return self.store.age(name)

    def _path(self, temporary: str) -> Path:
        if self._local is None:
            self._local = StagedFolder()
        return self._local.path / temporary

"""A store of objects under one URL: list, read ranges, write, write unless there. No other module uses fsspec."""

from __future__ import annotations

import errno
import io
import os
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, TypeVar

from recall_rank.index.errors import StoreError
from recall_rank.index.storage.folder import new_name, system_id
from recall_rank.model.option_errors import error_text

T = TypeVar("T")
CONDITIONAL: Final = ("s3", "s3a", "gs", "gcs")  # whose pipe_file(mode="create") is one conditional request
PIECE: Final = 1 << 20  # bytes that are copied at once into file://
LONGEST: Final = 8 << 20  # bytes of one request; longer ranges are fetched by several at once
READ_WHOLE: Final = (1 << 20) + 1  # bytes of an object that read() returns: no manifest may be as long
_memory_lock: Final = threading.Lock()  # makes "write unless there" atomic in memory://


class Fetched(NamedTuple):
    """Counts of what was read from a store so far: requests for objects, ranges and listings, and bytes of objects."""

    requests: int
    bytes: int


class ObjectStore:
    """The objects whose names begin with a prefix. Thread-safe. Every method raises StoreError for a store that cannot
    be reached or refuses access.
    """

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        """Connect to the store at `url`; `options` are those of its implementation in fsspec.

        Raises RuntimeError when fsspec, or what it needs for the store, is not installed, and ValueError for a URL that
        no implementation knows.
        """
        try:
            import fsspec
        except ImportError as error:
            raise RuntimeError(
                "indexes in stores need the extra `remote`: pip install 'recall-rank[remote]'"
            ) from error
        try:
            self._system, path = fsspec.core.url_to_fs(url, **dict(options or {}))
        except ImportError as error:
            raise RuntimeError(
                f"{url} needs a package that fsspec does not bring: {error} (for S3, pip install 'recall-rank[remote]')"
            ) from error
        self._path = str(path).rstrip("/")
        protocol = self._system.protocol
        self._protocols: tuple[str, ...] = (protocol,) if isinstance(protocol, str) else tuple(protocol)
        self.url = url.rstrip("/")
        self.key = f"{self._system.unstrip_protocol(self._path)} {(options or {}).get('endpoint_url') or ''}"
        self._counting = threading.Lock()
        self._requests = self._bytes = 0

    @property
    def fetched(self) -> Fetched:
        """The number of requests that read, and of the bytes that they returned."""
        with self._counting:
            return Fetched(self._requests, self._bytes)

    def where(self, name: str) -> str:
        """Return the URL of an object."""
        return f"{self.url}/{name}" if name else self.url

    def names(self) -> list[str]:
        """Return the names of all objects, in no order."""

        def listed() -> list[str]:
            self._system.invalidate_cache(self._path)
            found = self._system.ls(self._path, detail=True)
            return [str(each["name"]).rsplit("/", 1)[-1] for each in found if each.get("type") != "directory"]

        try:
            return self._asked("list", "", listed, 1)
        except FileNotFoundError:
            return []

    def age(self, name: str) -> float:
        """Return for how many seconds an object has been there, by the clocks of the store and of this machine; 0 when
        the store does not tell.
        """
        try:
            written = self._asked("look at", name, lambda: self._system.modified(self._of(name)), 1)
        except NotImplementedError:
            return 0.0
        return time.time() - float(written.timestamp())

    def read(self, name: str) -> bytes:
        """Return an object, of a longer one the first READ_WHOLE bytes. Raises FileNotFoundError."""
        data: bytes = self._asked(
            "read", name, lambda: self._system.cat_file(self._of(name), start=0, end=READ_WHOLE), 1
        )
        self._count(0, len(data))
        return data

    def read_ranges(self, name: str, ranges: Sequence[tuple[int, int]]) -> list[bytes]:
        """Return the bytes [start, end) of an object for each of `ranges`, fetched at once where the store can.

        They are shorter where the object is. Raises FileNotFoundError.
        """
        cut = [
            (at, start, min(start + LONGEST, end))
            for at, (first, end) in enumerate(ranges)
            for start in range(first, end, LONGEST)
        ]
        starts, ends = [start for _, start, _ in cut], [end for _, _, end in cut]
        path = self._of(name)
        data = self._asked(
            "read",
            name,
            lambda: self._system.cat_ranges([path] * len(cut), starts, ends, on_error="raise"),
            len(cut),
        )
        self._count(0, sum(map(len, data)))
        parts: list[list[bytes]] = [[] for _ in ranges]
        for (at, _, _), piece in zip(cut, data, strict=True):
            parts[at].append(piece)
        return [b"".join(pieces) for pieces in parts]

    def put(self, path: Path, name: str) -> None:
        """Write a file as an object. In file://, only this user may read it."""

        def write() -> None:
            if self._is_local:
                with path.open("rb") as file:
                    self._copy(file, Path(self._of(name)))
                return
            if "memory" in self._protocols:
                self._system.makedirs(self._path, exist_ok=True)
            self._system.put_file(str(path), self._of(name))

        self._asked("write", name, write, 0)

    def put_new(self, data: bytes, name: str) -> None:
        """Write an object unless there is one of this name, in one step. Raises FileExistsError when there is.

        Of several writers at once, one writes and the others get the error. Raises StoreError for a store that has no
        such step.
        """
        if self._is_local:
            self._asked("write", name, lambda: self._link(data, Path(self._of(name))), 0)
        elif "memory" in self._protocols:
            with _memory_lock:
                if self._system.exists(self._of(name)):
                    raise FileExistsError(self.where(name))
                self._system.pipe_file(self._of(name), data)
        elif set(CONDITIONAL) & set(self._protocols):
            self._put_conditionally(data, name)
        else:
            raise StoreError(
                f"{self.url}: recall_rank knows no conditional put of this store, without which two "
                "writers could harm each other; publish to s3://, gs:// or a folder"
            )

    def sync(self) -> None:
        """Make durable which objects there are. For file:// alone: another store has done so when it acknowledges."""
        if self._is_local:
            with suppress(FileNotFoundError):  # nothing was written there
                self._asked("sync", "", self._sync_names, 0)

    def delete(self, name: str) -> None:
        """Delete an object, if it is there."""
        with suppress(FileNotFoundError):
            self._asked("delete", name, lambda: self._system.rm_file(self._of(name)), 0)

    def _of(self, name: str) -> str:
        return f"{self._path}/{name}"

    @property
    def _is_local(self) -> bool:
        return "file" in self._protocols

    def _sync_names(self) -> None:
        """Make the names in the folder of file:// durable, where the system can sync a folder."""
        if not hasattr(os, "O_DIRECTORY"):
            return
        descriptor = os.open(self._path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)

    def _copy(self, content: BinaryIO, path: Path) -> None:
        """Write a new file, and its folder, which only this user may read. The file is removed when that fails."""
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                shutil.copyfileobj(content, file, PIECE)
                file.flush()
                os.fsync(descriptor)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def _link(self, data: bytes, path: Path) -> None:
        """Write a file under another name and link it to its own, which fails when that is taken."""
        temporary = path.with_name(new_name("temporary", system_id()))  # so that it is known if this process is killed
        try:
            self._copy(io.BytesIO(data), temporary)
            if hasattr(os, "link"):
                os.link(temporary, path)
            else:  # Windows refuses to rename to a name that is taken
                temporary.rename(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _put_conditionally(self, data: bytes, name: str) -> None:
        try:
            self._asked("write", name, lambda: self._system.pipe_file(self._of(name), data, mode="create"), 0)
        except OSError:
            # The store's answer to a first try may be lost and the second be refused; and stores name a refusal
            # differently. What is there now tells.
            try:
                there = self.read(name)
            except FileNotFoundError:
                there = None
            if there is None:
                raise
            if there != data:
                raise FileExistsError(self.where(name)) from None

    def _asked(self, what: str, name: str, ask: Callable[[], T], requests: int) -> T:
        """Return ask(), counted as `requests`. Raises FileNotFoundError, FileExistsError and StoreError."""
        self._count(requests, 0)
        try:
            return ask()
        except (FileNotFoundError, FileExistsError, StoreError, NotImplementedError):
            raise
        except Exception as error:  # each implementation has errors of its own
            raise StoreError(f"cannot {what} {self.where(name)}: {error_text(error)}") from error

    def _count(self, requests: int, size: int) -> None:
        with self._counting:
            self._requests += requests
            self._bytes += size

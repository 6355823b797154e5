"""Stores of objects in the memory of this process, for tests: new ones, with objects that can be damaged."""

from __future__ import annotations

import os
from typing import Any

import pytest

from recall_rank.index.remote.block_cache import BlockCache
from recall_rank.index.storage.manifest import ListedFile
from recall_rank.model import SearchResponse


def memory() -> Any:
    """Return fsspec's file system in memory. Skips the test where fsspec is not installed."""
    return pytest.importorskip("fsspec", reason="needs the extra remote").filesystem("memory")


def new_url() -> str:
    """Return the URL of a store in memory that has no objects."""
    memory()
    return f"memory://{os.urandom(8).hex()}/index"


def objects(url: str, kind: str = "") -> list[str]:
    """Return the paths of the objects of a store in memory whose names begin with `kind`."""
    system, path = memory(), url.removeprefix("memory:/")
    found = [str(each) for each in system.ls(path, detail=False)] if system.exists(path) else []
    return sorted(each for each in found if each.rsplit("/", 1)[-1].startswith(kind))


def contents(url: str) -> dict[str, bytes]:
    """Return the bytes of each object of a store in memory."""
    return {path: memory().cat_file(path) for path in objects(url)}


def put(path: str, data: bytes) -> None:
    """Write an object of a store in memory, as nobody who publishes does."""
    memory().pipe_file(path, data)


def lasting(response: SearchResponse) -> dict[str, Any]:
    """Return a response as JSON values, without its times."""
    return {name: value for name, value in response.to_dict().items() if name not in ("elapsed_ms", "cpu_ms")}


def poison_holes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill what a new file of the cache does not hold yet with bytes that are not 0, so that reading them shows."""
    sound = BlockCache.open

    def poisoned(self: BlockCache, listed: ListedFile) -> int:
        descriptor = sound(self, listed)
        if not any(os.pread(descriptor, 64, 0)):
            os.pwrite(descriptor, b"\xa5" * listed.size, 0)
        return descriptor

    monkeypatch.setattr(BlockCache, "open", poisoned)

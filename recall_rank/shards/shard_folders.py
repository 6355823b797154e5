"""Shards of the indexes in folders: given ones, or those that `recall-rank build` wrote and a later build replaces."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Final, Literal

from recall_rank.index.errors import DamagedIndexError
from recall_rank.shards.contract import close_all
from recall_rank.shards.local_shard import LocalShard
from recall_rank.shards.manifest import ListedShard, read_manifest
from recall_rank.shards.process_shard import ProcessShard
from recall_rank.shards.shard_group import OpenedShards, ShardGroup

Workers = Literal["threads", "processes", "ray"]
MOST_BUILDS: Final = 100  # that may end while shards are opened, before an error is raised


def group_of_folders(
    folders: Mapping[str, str | PathLike[str]], workers: Workers, listed: Sequence[ListedShard] = ()
) -> ShardGroup:
    """Return the shards of the indexes in `folders`, by their names, with workers of a kind.

    Raises RuntimeError where Ray is wanted and not installed, and ValueError without a folder.
    """
    if workers == "threads":
        pool = ThreadPoolExecutor(max(2, os.cpu_count() or 1), thread_name_prefix="shard")
        return ShardGroup([LocalShard.of_folder(folder, pool, name) for name, folder in folders.items()], pool, listed)
    if workers == "processes":
        return ShardGroup([ProcessShard(folder, name) for name, folder in folders.items()], None, listed)
    from recall_rank.shards.ray_shard import RayShard

    actors = [RayShard(folder, name) for name, folder in folders.items()]
    try:
        for actor in actors:
            actor.start()  # all at the same time
        return ShardGroup(actors, None, listed)
    except BaseException:
        close_all(actors)
        raise


class BuiltShards:
    """The shards of a build below `folder`. A later build writes other folders, then the manifest in one step, and then
    removes the folders that no manifest names any more.
    """

    def __init__(self, folder: str | PathLike[str], workers: Workers) -> None:
        self._folder = Path(folder).absolute()
        self._workers = workers

    def listed(self) -> list[ListedShard]:
        """Return the shards that the manifest names. Raises the errors of read_manifest()."""
        return read_manifest(self._folder)

    def replaced(self, group: ShardGroup) -> bool:
        """Return whether the manifest names other shards than those of a group."""
        with suppress(OSError, ValueError):
            return self.listed() != group.listed
        return False

    def read(self, before: OpenedShards | None = None, *, keep: bool = False) -> OpenedShards:
        """Return the shards of one build, all of them: where a later build has removed one before it was opened, those
        of the later build.

        The group of `before` is read again while the manifest names its shards, as ShardGroup.read() does with `keep`.
        Else the group is a new one. Raises the errors of read_manifest() and of ShardGroup.read().
        """
        for _ in range(MOST_BUILDS):
            listed = self.listed()
            if before is not None and before.group.listed == listed:
                return before.group.read(before if keep else None)
            folders = {shard.name: self._folder / shard.folder for shard in listed}
            group = group_of_folders(folders, self._workers, listed)
            try:
                opened = group.read()
            except BaseException as error:
                group.close()
                if not isinstance(error, OSError | ValueError) or not self.replaced(group):
                    raise
                continue
            if not opened.absent or not self.replaced(group):
                return opened
            group.close()
        raise DamagedIndexError(f"{self._folder} changes faster than it can be opened")

"""Open the newest generation (published version) of an index on disk, and publish the next one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from recall_rank.histories.cache.state import CacheState, NextState
from recall_rank.histories.cache.table_codec import StoredTable
from recall_rank.index.errors import MissingIndexError, UnusableIndexError
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.manifest import ListedFile, Manifest, listed_names, names_of, newest_manifest
from recall_rank.index.storage.mapped_segment import MappedSegment
from recall_rank.index.storage.publish import add_table, add_with_vectors, open_generation, publish, sweep
from recall_rank.model.option_errors import error_text


class SupersededError(Exception):
    """Raised when another process published a newer generation of the index than the one from which this refresh
    started.
    """


@dataclass(frozen=True, slots=True)
class FoundGeneration:
    """The state of the index in a folder, or the reason why there is none."""

    state: CacheState | None = None
    problem: str | None = None  # None when the folder has no generation
    nonce: str = ""  # of the manifest that counts, whatever is wrong with what it names


def find(folder: Path, held: CacheState | None = None) -> FoundGeneration:
    """Return the state of the newest generation in a folder, or the reason why there is none; segments that `held` has
    open already are shared with it.

    Raises IndexFolderError for a folder that is not safe to read, or another OSError.
    """
    pairs = zip(held.manifest.segments, held.segments, strict=True) if held is not None and held.manifest else ()
    known = {listed: segment for listed, segment in pairs if isinstance(segment, MappedSegment)}
    try:
        found = open_generation(folder, known)
        if held is not None and held.manifest == found.manifest:
            return FoundGeneration(held, None, found.manifest.nonce)
        if found.table is None:
            problem = f"{folder}: saved without a record of where it came from"
            return FoundGeneration(None, problem, found.manifest.nonce)
        view = StoredTable(found.table)
    except MissingIndexError:
        return FoundGeneration()
    except UnusableIndexError as error:
        return FoundGeneration(None, error_text(error), _nonce(folder))
    return FoundGeneration(CacheState(found.segments, found.dead, view, found.manifest), None, found.manifest.nonce)


def checked(folder: Path, state: CacheState) -> float | None:
    """Return the time at which a generation (published version of the index) last equalled its sources, in seconds
    since 1970; None when it is unknown.
    """
    if state.manifest is not None:
        with suppress(OSError):
            return (folder / state.manifest.name).stat().st_mtime
    return None


def touch(folder: Path, state: CacheState) -> None:
    """Record that a generation (published version of the index) equals its sources now. A failure to record it is
    ignored.
    """
    if state.manifest is not None:
        with suppress(OSError), Folder(folder) as held:
            held.touch(state.manifest.name)


def write(folder: Path, before: FoundGeneration, made: NextState, table: Mapping[str, bytes]) -> None:
    """Publish the generation after `before`: the segments of `before` that `made` keeps, the segment that it adds, and
    the sections of a table.

    Raises SupersededError when `before` is no longer the newest generation, and OSError when nothing can be written;
    the folder is then unchanged.
    """
    manifest = before.state.manifest if before.state is not None else None
    listed = [manifest.segments[at] for at in made.kept] if manifest is not None else []
    if not folder.parent.exists():
        Folder.create(
            folder.parent
        ).close()  # a parent that others may write to would let them swap our folder for another
    with Folder.create(folder) as held:
        sweep(held)
        mine: list[ListedFile] = []
        try:
            if made.added is not None:
                before_names = [one.name for one in manifest.segments] if manifest is not None else []
                mine.append(add_with_vectors(held, before_names, made.added, settled=made.settled))
            mine.append(add_table(held, table))

            def follow(now: Manifest) -> tuple[ListedFile, ...]:
                if now.nonce != before.nonce:
                    raise SupersededError  # noqa: TRY301 - from within publish()
                return (*listed, *mine)

            publish(held, follow)
        except BaseException:
            with suppress(UnusableIndexError, OSError):
                held.sweep(names_of(mine), listed_names(held))
            raise


def sweep_leftovers(folder: Path) -> None:
    """Remove the files that killed writers left in the folder of an index."""
    with suppress(MissingIndexError), Folder(folder) as held:
        sweep(held)


def _nonce(folder: Path) -> str:
    with suppress(OSError, UnusableIndexError), Folder(folder) as held:
        return newest_manifest(held).nonce
    return ""

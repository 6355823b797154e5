"""Find the loader for a path, and the stores of this machine."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

from recall_rank.loaders.builtin import LOADERS, Loader
from recall_rank.loaders.plugins import load_plugins
from recall_rank.loaders.store_hints import looking_once
from recall_rank.loaders.store_places import LinkedPlaceError, found_below
from recall_rank.loaders.unrecognised import UnrecognisedFiles
from recall_rank.model import Source
from recall_rank.model.nearest_names import did_you_mean

MAX_DEPTH = 8  # of folders searched for stores
PASSED_OVER = {".git", "node_modules", "__pycache__", ".venv"}


class KnownLoaders:
    """Iterates over the loaders of this package, then over those that other packages register as entry points.

    The entry points are read only when an iteration gets that far: finding them takes longer than a search.
    """

    def __init__(self) -> None:
        self._others: list[Loader] | None = None

    def __iter__(self) -> Iterator[Loader]:
        yield from LOADERS
        if self._others is None:
            self._others = load_plugins()
        yield from self._others


def open_source(where: str | os.PathLike[str], *, name: str | None = None) -> Source:
    """Return the source for one history: the one at a path, or the one on this machine of the agent with this name.

    Raises FileNotFoundError when nothing is there, and ValueError when no history, or more than one, is recognised
    there. `name` replaces the agent's name in reports and results; the source must allow its attribute `name` to be
    set.
    """
    path = Path(where).expanduser()
    known = KnownLoaders()
    exists = os.path.lexists(path)
    search = _Search(path, known) if exists else None
    found = search.found if search is not None else []
    if not found:
        agents = {loader.name: loader for loader in known}
        agent = agents.get(os.fspath(where).lower())
        if agent is not None:
            found = list(agent.stores(os.environ, Path.home()))
            if not found:
                raise ValueError(f"no history of {agent.name} was found on this machine")
        elif not exists:
            meant = did_you_mean(os.fspath(where), agents)
            raise FileNotFoundError(errno.ENOENT, "; ".join(filter(None, ("no such file or folder", meant))), str(path))
        else:
            missed = f"; {search.missed}" if search is not None and search.missed.count and path.is_dir() else ""
            raise ValueError(f"{path}: no history is recognised here; known are {', '.join(sorted(agents))}{missed}")
    if len(found) > 1:
        places = ", ".join(source.location for source in found[:5]) + (", ..." if len(found) > 5 else "")
        raise ValueError(f"{path} stands for {len(found)} histories, not one: {places}")
    if name is not None:
        found[0].name = name  # type: ignore[misc]
    return found[0]


def open_sources(where: str | os.PathLike[str]) -> list[Source]:
    """Return one source for each history at a path or below it, in a fixed order.

    Files of JSON lines that no loader recognises, and folders that cannot be listed, are named in the warnings of one
    more source, which has no sessions; other files that no loader recognises are left out.
    """
    path = Path(where).expanduser()
    search = _Search(path, KnownLoaders())
    if search.found and search.missed:
        search.found.append(search.missed)
    return search.found


class _Search:
    """The sources `found` at a path and below it, and the files `missed` that no loader recognised."""

    def __init__(self, path: Path, known: Iterable[Loader]) -> None:
        self.found: list[Source] = []
        self.missed = UnrecognisedFiles(path)
        self._known = known
        self._named, self._real = path, os.path.realpath(path)
        with looking_once():
            self._search(path, MAX_DEPTH)
        if not self.found and path.is_file():
            self.found = [source for loader in known if (source := loader.insist(path)) is not None][:1]
            if self.found:
                self.missed = UnrecognisedFiles(path)  # it is read, and reading it reports what is wrong

    def _search(self, path: Path, depth: int) -> None:
        linked = None
        for loader in self._known:
            try:
                with nullcontext() if path is self._named else found_below(self._named, self._real):
                    source = _recognised(loader, path)
            except LinkedPlaceError as error:
                linked = error
                continue
            if source is not None:
                self.found.append(source)
                return
        if linked is not None:
            self.missed.add_unlisted(Path(linked.filename), linked)
            if linked.filename == str(path):  # it became a link after it was listed
                return
        if not path.is_dir():
            self.missed.add(path)
        elif depth:
            with os.scandir(path) as entries:
                inside = sorted(each.name for each in entries if each.name not in PASSED_OVER and not each.is_symlink())
            for name in inside:
                try:
                    self._search(path / name, depth - 1)
                except FileNotFoundError:
                    continue  # it vanished after it was listed
                except PermissionError as error:
                    self.missed.add_unlisted(path / name, error)


def _recognised(loader: Loader, path: Path) -> Source | None:
    try:
        return loader.recognise(path)
    except LinkedPlaceError:
        raise
    except OSError:
        return None


def discover(environ: Mapping[str, str] = os.environ, home: Path | None = None) -> list[Source]:
    """Return one source for each store of this machine, searched at the places that agents use on Linux, macOS and
    Windows.
    """
    if home is None:
        try:
            home = Path.home()
        except RuntimeError:
            return []
    found: list[Source] = []
    for loader in KnownLoaders():
        try:
            found += loader.stores(environ, home)
        except Exception as error:  # noqa: BLE001 - an unexpected layout of one store must not hide the others
            warnings.warn(f"looking for {loader.name} failed: {error}", RuntimeWarning, stacklevel=2)
    return found

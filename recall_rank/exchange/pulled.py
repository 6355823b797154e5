"""The copies of other machines' stores that were pulled here, and the sources over them.

A copy is laid out as the home folder that it comes from, so that the loaders find the stores in it at their places.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from recall_rank.histories.cache.location import user_folder
from recall_rank.loaders import discover
from recall_rank.model import Reading, Source, Unit
from recall_rank.model.record_classes import replace
from recall_rank.model.source_wrapper import SourceWrapper

STAGED: Final = ".~tmp~"  # the folders in which rsync keeps files until all were transferred
NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")


def pulled_machines() -> list[str]:
    """Return the names of the machines whose stores were copied here, sorted."""
    folder = _folder()
    if folder is None or not folder.is_dir():
        return []
    return sorted(path.name for path in folder.iterdir() if NAME.fullmatch(path.name) and _is_own_folder(path / "home"))


def pulled_sources() -> list[Source]:
    """Return the sources over the stores that were copied here; their sessions have the machine's name as `host`."""
    return [source for name in pulled_machines() for source in machine_sources(name)]


def machine_sources(name: str) -> list[Source]:
    """Return the sources over the stores that were copied from the machine `name`; none without a copy."""
    return [PulledSource(source, name) for source in discover(_variables(home_of(name)), home_of(name))]


def home_of(name: str) -> Path:
    """Return the folder of the copy of a machine's home, which need not exist. Raises OSError without a home folder."""
    folder = _folder()
    if folder is None:
        raise OSError("there is no home folder to keep the copies of stores in")
    return folder / name / "home"


class PulledSource(SourceWrapper):
    """A source over a copied store, whose sessions have the name of their machine. Files that a pull is transferring
    are no units.
    """

    def __init__(self, source: Source, machine: str) -> None:
        super().__init__(source)
        self._machine = machine

    def units(self) -> Iterable[Unit]:
        return [unit for unit in super().units() if STAGED not in Path(unit.location).parts]

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        reading = super().read(unit, since)
        return replace(reading, sessions=[replace(each, host=self._machine) for each in reading.sessions])


def _folder() -> Path | None:
    found = user_folder("XDG_DATA_HOME", ".local/share", "user_data_path")
    return None if found is None else found / "machines"


def _is_own_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _variables(home: Path) -> dict[str, str]:
    """Return the variables of Windows that name folders in a home, which agents' loaders look for there."""
    return {
        "APPDATA": str(home / "AppData" / "Roaming"),
        "LOCALAPPDATA": str(home / "AppData" / "Local"),
    }

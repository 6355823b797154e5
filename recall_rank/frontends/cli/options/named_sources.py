"""The histories that values of --history name: stores at a path and below it, those of an agent, and the demo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from recall_rank.frontends.cli.output.console import USAGE, fail

if TYPE_CHECKING:
    from recall_rank.model import Reading, Source, Unit

DEMO: Final = "demo"  # the name of the history that ships with the package


@dataclass(frozen=True, slots=True)
class UnreadableSource:
    """A source that could not be opened. Reading it raises the error, so that the error is reported as for other
    sources.
    """

    location: str
    reason: str
    name: str = "unreadable"

    def units(self) -> Iterable[Unit]:
        raise OSError(self.reason)

    def signature(self, unit: Unit) -> bytes:
        raise OSError(self.reason)

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        raise OSError(self.reason)


def named_sources(histories: Sequence[str]) -> list[Source]:
    """Return the sources that values of --history name. Raises ValueError for one that names none."""
    return [source for history in histories for source in _open(history)]


def every_store(histories: Sequence[str]) -> Iterator[str]:
    """Yield the locations of the stores that values of --history name, of all stores of this machine and of the copies
    of others: where nothing is written, whichever of them a command reads. Ends the command for a value that names
    none.
    """
    from recall_rank.exchange.pulled import pulled_sources
    from recall_rank.loaders import discover

    try:
        named = named_sources(histories)
    except ValueError as error:
        fail(str(error), USAGE, as_json=False)
    yield from (source.location for source in (*named, *discover()))
    with suppress(PermissionError):  # a folder that this process may not look into is none that it writes to
        yield from (source.location for source in pulled_sources())


def _open(history: str) -> Sequence[Source]:
    """Return the sources that `history` names: the stores at a path and below it, or those of an agent. A path that
    cannot be read gives an UnreadableSource. The name "demo" is the history of the package; ./demo is a path. Raises
    ValueError where there is none.
    """
    from recall_rank.loaders import discover, open_source, open_sources

    try:
        if history == DEMO:
            return open_sources(demo_history())
        if Path(history).expanduser().exists():
            found = open_sources(history)
        else:
            found = [source for source in discover() if source.name == history.lower()]
        return found or [open_source(history)]  # raises an error that says why nothing was found
    except OSError as error:
        return [UnreadableSource(history, error.strerror or str(error))]
    except RuntimeError as error:  # of a path such as ~name whose home is unknown
        raise ValueError(f"--history {history}: {error}") from error


def demo_history() -> Path:
    """Return the path of the history that ships with the package; it is there until the command has ended."""
    from importlib.resources import as_file, files

    context = click.get_current_context()
    path: Path = context.find_root().with_resource(as_file(files("recall_rank.frontends.demo") / "history.jsonl"))
    return path

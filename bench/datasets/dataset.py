"""What a benchmark runs on: a folder of one's own, the histories beside the checkout, or a generated history."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets import generate
from bench.datasets.history_files import HISTORIES, LabelledQuery, read_history, read_queries
from bench.datasets.label import label
from bench.datasets.spooled_history import SpooledHistory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterator, Sequence

    from recall_rank.model import Session

GENERATED = "generated"
PARTS = 20_000
LARGE = 50_000  # parts from which a generated history is not kept in memory


@dataclass(frozen=True, slots=True)
class Dataset:
    """Sessions with known-item queries; `runs` is a folder of other engines' ranks, when there is one."""

    name: str
    sessions: Collection[Session]
    queries: Sequence[LabelledQuery]
    runs: Path | None = None

    @property
    def generated(self) -> bool:
        """Whether the history is a made-up one."""
        return self.name.startswith(GENERATED)


def arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """The options every benchmark over one history takes; of `several` histories, every size by itself."""
    parser.add_argument("--data", help=f"folder with history.jsonl[.gz|.xz] and queries.jsonl, or '{GENERATED}'")
    if several:
        parser.add_argument("--parts", type=sizes, help="sizes of generated histories, comma separated")
    else:
        parser.add_argument(
            "--parts", type=int, default=PARTS, help="size of a generated history (default %(default)s)"
        )
    parser.add_argument("--seed", type=int, default=1, help="seed of a generated history (default %(default)s)")


def load(options: argparse.Namespace) -> Dataset:
    """The data `--data` names; without it the histories beside the checkout, else a generated history."""
    named = options.data
    if named == GENERATED or (named is None and not HISTORIES.is_dir()):
        return generated(options.parts, options.seed)
    return _read(named)


def load_all(options: argparse.Namespace) -> Iterator[Dataset]:
    """A history for each of the sizes in `--parts`, and the one that `--data` names; without sizes what load() gives.

    One after the other, and each is let go of before the next is made.
    """
    named = options.data
    if not options.parts and (named == GENERATED or (named is None and not HISTORIES.is_dir())):
        options.parts = (PARTS,)
    for parts in options.parts or ():
        yield generated(parts, options.seed)
        release()
    if not options.parts or named not in (None, GENERATED):
        yield _read(named)


def sizes(text: str) -> tuple[int, ...]:
    """The numbers of a list. Raises ValueError for what is none."""
    return tuple(int(size.replace("_", "")) for size in text.split(","))


def _read(named: str | None) -> Dataset:
    folder = Path(named) if named else HISTORIES
    runs = folder / "runs"
    queries = read_queries(folder / "queries.jsonl")
    return Dataset(folder.name, read_history(folder), queries, runs if runs.is_dir() else None)


@functools.lru_cache(maxsize=2)
def generated(parts: int, seed: int) -> Dataset:
    """A generated history with its labelled queries; a large one lies in a temporary file."""
    name = f"{GENERATED}, {parts:,} parts, seed {seed}"
    if parts >= LARGE:
        spool = SpooledHistory(parts, seed)
        return Dataset(name, spool, spool.queries)
    return Dataset(name, tuple(generate.sessions(parts, seed)), label(generate.mentions(parts, seed), seed))


def release() -> None:
    """Forget every history read or generated so far."""
    generated.cache_clear()
    read_history.cache_clear()

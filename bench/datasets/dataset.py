"""The dataset of a benchmark: a folder given by `--data`, the histories beside the checkout, or a generated
history.
"""

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
    """Sessions with known-item queries. `runs` is a folder of other engines' ranks, or None."""

    name: str
    sessions: Collection[Session]
    queries: Sequence[LabelledQuery]
    runs: Path | None = None

    @property
    def generated(self) -> bool:
        """Whether the history is a generated one."""
        return self.name.startswith(GENERATED)


def arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the options of a dataset; with `several`, `--parts` takes several sizes."""
    parser.add_argument("--data", help=f"folder with history.jsonl[.gz|.xz] and queries.jsonl, or '{GENERATED}'")
    if several:
        parser.add_argument("--parts", type=sizes, help="sizes of generated histories, comma separated")
    else:
        parser.add_argument(
            "--parts", type=int, default=PARTS, help="size of a generated history (default %(default)s)"
        )
    parser.add_argument("--seed", type=int, default=1, help="seed of a generated history (default %(default)s)")


def load(options: argparse.Namespace) -> Dataset:
    """Return the dataset that `--data` names; without it the histories beside the checkout, else a generated
    history.
    """
    named = options.data
    if named == GENERATED or (named is None and not HISTORIES.is_dir()):
        return generated(options.parts, options.seed)
    return _read(named)


def load_all(options: argparse.Namespace) -> Iterator[Dataset]:
    """Yield a generated history for each size in `--parts`, and the dataset that `--data` names; without sizes, that
    of load().

    Each dataset is released before the next one is made.
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
    """Return the numbers of a comma-separated list. Raises ValueError for anything else."""
    return tuple(int(size.replace("_", "")) for size in text.split(","))


def _read(named: str | None) -> Dataset:
    folder = Path(named) if named else HISTORIES
    runs = folder / "runs"
    queries = read_queries(folder / "queries.jsonl")
    return Dataset(folder.name, read_history(folder), queries, runs if runs.is_dir() else None)


@functools.lru_cache(maxsize=2)
def generated(parts: int, seed: int) -> Dataset:
    """Return a generated history with its labelled queries; from LARGE parts on it lies in a temporary file."""
    name = f"{GENERATED}, {parts:,} parts, seed {seed}"
    if parts >= LARGE:
        spool = SpooledHistory(parts, seed)
        return Dataset(name, spool, spool.queries)
    return Dataset(name, tuple(generate.sessions(parts, seed)), label(generate.mentions(parts, seed), seed))


def release() -> None:
    """Release every history that was read or generated so far."""
    generated.cache_clear()
    read_history.cache_clear()

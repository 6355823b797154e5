"""What a benchmark runs on: a folder of one's own, the histories beside the checkout, or a generated history."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench import generate
from bench.data import HISTORIES, LabelledQuery, read_history, read_queries
from bench.label import label

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from recall_rank.model import Session

GENERATED = "generated"
PARTS = 20_000


@dataclass(frozen=True, slots=True)
class Dataset:
    """Sessions with known-item queries; `runs` is a folder of other engines' ranks, when there is one."""

    name: str
    sessions: Sequence[Session]
    queries: Sequence[LabelledQuery]
    runs: Path | None = None


def arguments(parser: argparse.ArgumentParser) -> None:
    """The options every benchmark over one history takes."""
    parser.add_argument("--data", help=f"folder with history.jsonl[.gz|.xz] and queries.jsonl, or '{GENERATED}'")
    parser.add_argument("--parts", type=int, default=PARTS, help="size of a generated history (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of a generated history (default %(default)s)")


def load(options: argparse.Namespace) -> Dataset:
    """The data `--data` names; without it the histories beside the checkout, else a generated history."""
    named = options.data
    if named == GENERATED or (named is None and not HISTORIES.is_dir()):
        return generated(options.parts, options.seed)
    folder = Path(named) if named else HISTORIES
    runs = folder / "runs"
    queries = read_queries(folder / "queries.jsonl")
    return Dataset(folder.name, read_history(folder), queries, runs if runs.is_dir() else None)


@functools.lru_cache(maxsize=2)
def generated(parts: int, seed: int) -> Dataset:
    """A generated history with its labelled queries."""
    sessions = tuple(generate.sessions(parts, seed))
    return Dataset(f"{GENERATED}, {parts:,} parts, seed {seed}", sessions, label(generate.mentions(parts, seed), seed))


def release() -> None:
    """Forget every history read or generated so far."""
    generated.cache_clear()
    read_history.cache_clear()

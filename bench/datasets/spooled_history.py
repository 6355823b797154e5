"""A generated history in a file, which is written once and read session by session."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bench.datasets.generate import Writer, count
from bench.datasets.label import label

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.datasets.generate import Mention
    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Session

SEVERAL = 200_000  # parts from which it pays to start processes
_AT_ONCE = 32  # sessions that a process writes for one request


class SpooledHistory:
    """About `parts` parts in sessions, oldest first, with their labelled queries. No session stays in memory.

    They are read from the file `kept` if an earlier history of as many parts and this seed was written there, else
    they are written there. Without `kept` the file is a temporary one. From SEVERAL parts on, several processes make
    the sessions.
    """

    def __init__(self, parts: int, seed: int, kept: Path | None = None) -> None:
        self._count = count(parts)
        if kept is None:
            folder = tempfile.mkdtemp()
            weakref.finalize(self, shutil.rmtree, folder)
            kept = Path(folder, "history")
        self.path = kept
        labels = kept.with_name(f"{kept.name}.queries-{parts}-{seed}")
        if not labels.exists():
            self._write(labels, parts, seed)
        self.queries: list[LabelledQuery] = pickle.loads(labels.read_bytes())

    def _write(self, labels: Path, parts: int, seed: int) -> None:
        """Write the sessions, and last their labelled queries, which tell that the sessions are complete."""
        for outdated in labels.parent.glob(f"{self.path.name}.queries-*"):
            outdated.unlink()
        queries = label(self._written(parts, seed), seed, parts=parts)
        labels.write_bytes(pickle.dumps(queries, pickle.HIGHEST_PROTOCOL))

    def _written(self, parts: int, seed: int) -> Iterator[Mention]:
        """Write the sessions, and yield their mentions."""
        several = ProcessPoolExecutor(mp_context=get_context("spawn")) if parts >= SEVERAL else None
        with self.path.open("wb") as file, several or nullcontext():
            made = map if several is None else partial(several.map, chunksize=_AT_ONCE)
            for session, mentions in made(partial(_session, seed), range(self._count)):
                file.write(session)
                yield from mentions

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Session]:
        return read_spool(self.path)

    def __contains__(self, session: object) -> bool:
        return any(one == session for one in self)


def read_spool(path: Path) -> Iterator[Session]:
    """Yield the sessions of a file that a SpooledHistory wrote."""
    with path.open("rb") as file:
        while file.peek(1):
            yield cast("Session", pickle.load(file))


def _session(seed: int, number: int) -> tuple[bytes, list[Mention]]:
    session, mentions = Writer(number, seed).session()
    return pickle.dumps(session, pickle.HIGHEST_PROTOCOL), mentions

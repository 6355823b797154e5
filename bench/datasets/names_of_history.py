"""Makes known-item queries for the names in a real history: its paths, and its identifiers in several spellings.

`python -m bench.datasets.names_of_history FOLDER > names.jsonl` reads the history of a data folder and writes lines of
the form of queries.jsonl; `python -m bench run known_item --data FOLDER --queries names.jsonl` asks them. Equal
histories, seeds and counts give equal queries.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from bench.datasets.documents import documents
from bench.datasets.generate import Mention
from bench.datasets.history_files import HISTORIES, read_history
from bench.datasets.label import KINDS, label, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Session

PER_KIND = 200
SOURCES = ("identifier", "path")  # the kinds of mentions that are made

_RUN = re.compile(r"[\w./\\@-]+")  # a name or path, with everything that stands directly beside it
_PATH = re.compile(r"(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]*[A-Za-z_][\w.@-]*\.[A-Za-z]{1,5}", re.ASCII)
_IDENTIFIER = re.compile(r"(?<![\w])[A-Za-z_][A-Za-z_]{7,39}(?![\w])", re.ASCII)
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def mentions(sessions: Iterable[Session]) -> Iterator[Mention]:
    """Yield the paths that stand alone, and the identifiers of two or more words, of each part of a history."""
    for document in documents(sessions):
        if not document.hit.part:
            continue
        answer = (document.hit.session, document.hit.message, document.hit.part)
        for run in dict.fromkeys(_RUN.findall(document.text)):
            path = run.rstrip(".")
            if _PATH.fullmatch(path):
                yield Mention("path", path.lower(), path, answer)
        for name in dict.fromkeys(_IDENTIFIER.findall(document.text)):
            if sum(len(piece) > 2 for piece in _PIECES.findall(name)) > 1:
                yield Mention("identifier", plain(name), name, answer)


def queries(sessions: Iterable[Session], seed: int = 1, count: int = PER_KIND) -> list[LabelledQuery]:
    """Return `count` labelled queries of each kind that is made from paths or identifiers, or as many as there are."""
    made = label(mentions(sessions), seed, count)
    return [query for query in made if KINDS[query.kind][0] in SOURCES]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.datasets.names_of_history", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HISTORIES, help="folder with history.jsonl[.gz|.xz]")
    parser.add_argument("--count", type=int, default=PER_KIND, help="queries of each kind (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice (default %(default)s)")
    options = parser.parse_args(arguments)
    for query in queries(read_history(options.folder), options.seed, options.count):
        answers = [{"session": s, "message": m, "part": p} for s, m, p in query.relevant]
        sys.stdout.buffer.write(
            orjson.dumps({"id": query.id, "kind": query.kind, "query": query.query, "relevant": answers}) + b"\n"
        )


if __name__ == "__main__":
    main()

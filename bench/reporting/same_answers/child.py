"""Answers searches with the package of one checkout: `python child.py CHECKOUT FOLDER OUT`.

It is run as a script with CHECKOUT on PYTHONPATH and imports nothing but the standard library and recall_rank, so that
the code that is compared is the checkout's alone.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

BUDGET_MS: Final = 86_400_000.0  # the largest accepted budget: no stage of a search is skipped for lack of time
TIMINGS: Final = frozenset(("elapsed_ms", "cpu_ms", "stale_ms"))  # keys that are removed from every answer


def answer(checkout: Path, folder: Path, out: Path) -> None:
    """Answer the searches of folder/searches.jsonl into `out`, a JSON line for each.

    Indexes on disk lie in the working folder under relative paths, so that no path in an answer depends on the
    checkout. Raises SystemExit when recall_rank is not the checkout's.
    """
    import recall_rank as rr

    if not Path(str(rr.__file__)).resolve().is_relative_to(checkout.resolve()):
        raise SystemExit(f"recall_rank was imported from {rr.__file__}, not from {checkout}")
    indexes: dict[tuple[str, str], Any] = {}
    with out.open("w", encoding="utf-8") as file, (folder / "searches.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            search = json.loads(line)
            key = search["corpus"], search["index"]
            if key not in indexes:
                indexes[key] = open_index(rr, folder / search["corpus"], search["index"])
            file.write(json.dumps(without_timings(answer_one(rr, indexes[key], search))) + "\n")
            file.flush()


def open_index(rr: Any, corpus: Path, kind: str) -> Any:
    """Return the index of a corpus: built in memory, saved and opened, or refreshed on disk in several steps."""
    own = Path(corpus.name)
    if kind == "segments":
        return _refreshed(rr, corpus / "steps", own)
    for history in corpus.glob("history.jsonl*"):  # a history of the data folder, which its loader reads
        own.mkdir(exist_ok=True)
        shutil.copy(history, own / history.name)
        return rr.Recall(rr.open_sources(own / history.name))
    index = rr.Index.build(_sessions(rr, corpus / "sessions.jsonl"))
    if kind == "memory":
        return index
    index.save(own / "opened")
    return rr.Index.open(own / "opened")


def _refreshed(rr: Any, steps: Path, own: Path) -> Any:
    """Return an index on disk that was refreshed after each step: of several segments, some with dead sessions."""
    sources = own / "sources"
    sources.mkdir(parents=True)
    index = rr.Index.open(own / "segments", create=True)
    for step in sorted(steps.iterdir()):
        for file in sorted(step.glob("*.jsonl")):
            shutil.copy(file, sources / file.name)
        vanished = step / "vanished"
        if vanished.is_file():
            (sources / vanished.read_text("utf-8")).unlink()
        index.refresh(rr.open_sources(sources))
    return index


def _sessions(rr: Any, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the mappings that Index.build accepts; parts with an error get the flag of one."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            session = json.loads(line)
            for message in session["messages"]:
                for part in message["parts"]:
                    if part.get("error"):
                        part["flags"] = rr.Flag.ERROR
            yield session


def answer_one(rr: Any, index: Any, search: dict[str, Any]) -> dict[str, Any]:
    """Return the full answer of one search, or the type and text of the error that it raised."""
    options: dict[str, Any] = {**search["options"], "budget_ms": BUDGET_MS}
    if "context" in options:
        options["context"] = rr.Context(**options["context"])
    if options.pop("redact", False):
        options["redact"] = redact_numbers
    try:
        if search["way"] == "scores":
            scores = index.scores(search["query"], now=options["now"])
            return {"parts": len(scores), "scores": {str(at): float(scores[at]) for at in scores.nonzero()[0]}}
        found: dict[str, Any] = index.search(search["query"], **options).to_dict()
    except Exception as error:  # noqa: BLE001 - the error is the answer, and is compared as one
        # a builtin class of the error: a caller may catch that one, whatever subclass of it the checkout raises
        kind = next(each for each in type(error).__mro__ if each.__module__ == "builtins")
        return {"raised": f"{kind.__name__}: {error}"}
    return found


def redact_numbers(text: str, low: int, high: int) -> list[tuple[int, int, str]]:
    """Return edits that replace every number that touches characters [low, high) of the text."""
    found = re.finditer(r"\d{2,}", text)
    return [(m.start(), m.end(), "[number]") for m in found if m.end() > low and m.start() < high]


def without_timings(value: Any) -> Any:
    """Return a JSON value without the keys that tell times."""
    if isinstance(value, dict):
        return {name: without_timings(item) for name, item in value.items() if name not in TIMINGS}
    if isinstance(value, list | tuple):
        return [without_timings(item) for item in value]
    return value


if __name__ == "__main__":
    answer(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))

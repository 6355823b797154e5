"""The histories that an example searches: those of this machine, the demo's, or what `--history` names."""

from __future__ import annotations

import argparse
from importlib.resources import as_file, files

import recall_rank as rr


def add_history(parser: argparse.ArgumentParser) -> None:
    """Add the option --history."""
    text = "a history file or a folder with stores; demo: the invented history of the package; default: this machine's"
    parser.add_argument("--history", metavar="PATH", help=text)


def opened(history: str | None) -> rr.Recall:
    """Return the histories that --history names; without it, all of this machine, with the user's cache."""
    if history is None:
        return rr.Recall.discover()
    if history == "demo":
        with as_file(files("recall_rank.frontends.demo") / "history.jsonl") as path:
            recall = rr.Recall(rr.open_sources(path))
            recall.refresh()  # read while the file is there: in an archive it is a temporary one
            return recall
    return rr.Recall(rr.open_sources(history))

"""tallow: sessions in pi's format (see source.py) below ~/.tallow and below every home folder in tallow's list of
work folders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from recall_rank.loaders.pi import source as pi
from recall_rank.model import Source

NAME = pi.TALLOW


def recognise(path: Path) -> Source | None:
    """Return a source for sessions in pi's format in a home folder of tallow; None for any other path."""
    return pi.recognise(path) if pi.agent_at(path) == NAME else None


def stores(environ: Mapping[str, str], home: Path) -> Iterable[Source]:
    """Sources for the folders of tallow's sessions on this machine, in all home folders of tallow."""
    for name, folder in pi.places(environ, home):
        if name == NAME and folder.is_dir():
            yield pi.Pi(folder, NAME)

"""`python -m bench data`: list the sets of the published figures, or build some of them into a folder."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bench.datasets.published import catalogue
from bench.datasets.published.repositories import RepositoryError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ALL = "all"


def main(names: str | None, folder: Path | None, checkouts: Sequence[Path]) -> int:
    """Without a folder list every set. Else build the sets of the comma-separated `names`; exit status 2 when a name
    is unknown or a repository cannot be read.
    """
    if names is None or folder is None:
        print(listing())
        return 0
    chosen = list(catalogue.SETS) if names == ALL else names.split(",")
    if unknown := [name for name in chosen if name not in catalogue.SETS]:
        known = ", ".join((*catalogue.SETS, ALL))
        print(f"bench data: a set must be one of {known}, not {', '.join(unknown)}", file=sys.stderr)
        return 2
    try:
        for name in chosen:
            for line in catalogue.build(name, folder, checkouts):
                print(line, flush=True)
    except RepositoryError as error:
        print(f"bench data: {error}", file=sys.stderr)
        print("Where the network is closed, give a checkout of the repository with --from.", file=sys.stderr)
        return 2
    return 0


def listing() -> str:
    """Return the name, size, licence and repositories of every set."""
    lines = []
    for one in catalogue.SETS.values():
        lines.append(f"{one.name:<11} {one.holds}; licence: {one.licence}")
        lines += [f"{'':<11} {repository.url} at {repository.commit}" for repository in one.repositories]
    return "\n".join(lines)

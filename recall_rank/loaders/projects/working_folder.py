"""The folders around the working folder in which stores inside a project are searched."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

MOST = 16  # folders


def folders_above(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Yield the working folder and the folders above it, up to the home folder and at most 16; none when $PWD is not
    set or is a relative path.

    The working folder is the variable $PWD, which shells set. A program that is started otherwise and only imports this
    package therefore reads no stores near it.
    """
    where = environ.get("PWD")
    if not where or not Path(where).is_absolute():
        return
    folder = Path(os.path.normpath(where))
    for above in [folder, *folder.parents][:MOST]:
        yield above
        if above == home:
            return

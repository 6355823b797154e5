"""Where stores that lie in a project are looked for: the folder one is in, and those above it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

MOST = 16  # folders


def folders_above(environ: Mapping[str, str], home: Path) -> Iterator[Path]:
    """The working folder and those above it, at most up to the home. Only a shell's word for it counts, so that a
    program that merely imports us does not read what happens to lie around it."""
    where = environ.get("PWD")
    if not where or not Path(where).is_absolute():
        return
    folder = Path(os.path.normpath(where))
    for above in [folder, *folder.parents][:MOST]:
        yield above
        if above == home:
            return

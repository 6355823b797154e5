"""The command by which a host finds this recall-rank without the PATH of a shell."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "recall-rank"


def running_program() -> tuple[str, ...]:
    """Return the absolute path of the recall-rank program that is running, or the interpreter with `-P -m
    recall_rank` where it was started in another way. A link, such as that of a tool installer, is not followed.
    """
    started = Path(sys.argv[0]) if sys.argv and sys.argv[0] else Path()
    if started.stem == _NAME:
        path = Path(os.path.abspath(started))  # noqa: PTH100 - resolve() would follow the link
        if path.is_file() and os.access(path, os.X_OK):
            return (str(path),)
    return (sys.executable, "-P", "-m", "recall_rank")  # -P: hosts run it in projects, whose modules are not imported

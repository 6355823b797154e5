"""Files of the user's settings and lists: one that cannot be read never counts as one that is not there."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_user_file(path: Path, most: int) -> bytes | None:
    """Return the content of a file of the user's settings; None when there is none.

    Raises OSError for a file that cannot be read, is no regular file or has more than `most` bytes, and where a link
    leads to nothing: what a file says that is not at hand now must not count as unsaid.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError) as error:
        if is_missing(path):
            return None
        raise OSError(error.errno, "it is behind a link that leads to nothing", str(path)) from error
    with os.fdopen(descriptor, "rb", closefd=True) as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(path))
    return data


def is_missing(path: Path) -> bool:
    """Return whether there is nothing at a path; False when that is not known: a folder on the way cannot be looked
    into, or a link leads to nothing, whose target may lie on a disk that is not there now.
    """
    for each in (path, *path.parents):
        try:
            found = each.lstat()
            return each != path and (not stat.S_ISLNK(found.st_mode) or each.exists())
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            return False
    return True

"""Check that there is enough memory for numpy before it is imported."""

from __future__ import annotations

import mmap
import sys
from typing import Final

NEEDED: Final = 128 << 20  # bytes of address space: numpy, OpenBLAS, and its buffers for one thread


def require_numpy_room() -> None:
    """Raise MemoryError when there is no room for numpy and it is not imported yet.

    OpenBLAS, which numpy loads, does not raise: it ends the whole process with the exit status 1.
    """
    if "numpy" not in sys.modules:
        try:
            mmap.mmap(-1, NEEDED).close()
        except OSError as error:
            raise MemoryError(f"numpy needs {NEEDED} bytes") from error

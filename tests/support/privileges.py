"""File modes that bind the test process too: root ignores them otherwise."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

# of linux/capability.h: version 3, and the two by which root passes over modes, CAP_DAC_OVERRIDE and _READ_SEARCH
_VERSION: Final = 0x20080522
_OVERRIDE: Final = 1 << 1 | 1 << 2
_DROP_FROM_BOUNDING_SET: Final = 24  # of sys/prctl.h: what no program that is started from now on gets


@contextmanager
def modes_bind() -> Iterator[None]:
    """Drop this thread's privilege to ignore file modes; skip the test where that is impossible."""
    if os.getuid() != 0:
        yield
        return
    if sys.platform != "linux":
        pytest.skip("root cannot go without its privileges here")
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_VERSION, 0)
    before = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable ones, twice
    assert libc.capget(header, before) == 0
    less = (ctypes.c_uint32 * 6)(*before)
    less[0] &= ~_OVERRIDE
    assert libc.capset(header, less) == 0
    try:
        yield
    finally:
        assert libc.capset(header, before) == 0


def modes_bind_in_child() -> None:
    """Take the privilege to ignore file modes from the program that this process starts next; for `preexec_fn`."""
    if os.getuid() == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        for capability in (1, 2):  # of _OVERRIDE
            if libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "root cannot go without its privileges here")

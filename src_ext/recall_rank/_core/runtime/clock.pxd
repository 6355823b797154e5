"""The monotonic clock with which deadlines are compared."""

from libc.stdint cimport int64_t

cdef extern from "simd/clock.h":
    # Nanoseconds of the clock behind time.monotonic_ns().
    int64_t rr_monotonic_ns() noexcept nogil

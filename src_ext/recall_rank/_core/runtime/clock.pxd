"""The monotonic clock that deadlines are compared with."""

from libc.stdint cimport int64_t

cdef extern from "simd/clock.h":
    # Nanoseconds of the clock behind time.monotonic_ns().
    int64_t rr_monotonic_ns() noexcept nogil

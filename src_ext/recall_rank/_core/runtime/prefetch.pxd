# Prefetch of text that is read soon. A cache miss takes as long as a hundred comparisons; several misses that overlap
# take no longer than one.

from libc.stdint cimport uint64_t

cdef extern from "simd/prefetch.h":
    void rr_prefetch(const void* address) noexcept nogil

cdef enum:
    LINE = 64            # bytes of a cache line
    PREFETCHED = 512     # bytes at the beginning of a text; the hardware prefetcher follows from there
    LOOKAHEAD = 2        # passages between the one that is read and the one that is prefetched


cdef inline void prefetch_text(const unsigned char* text, uint64_t size) noexcept nogil:
    """Prefetch the first PREFETCHED bytes of a text of `size` bytes."""
    cdef uint64_t at = 0
    while at < size and at < PREFETCHED:
        rr_prefetch(text + at)
        at += LINE


cdef inline void prefetch_passage(const unsigned char* text, const uint64_t* starts, const uint64_t* ends,
                                  Py_ssize_t count, Py_ssize_t k) noexcept nogil:
    """Prefetch passage k + LOOKAHEAD, if there is one; called when passage k is read.

    Passage k is text[starts[k]:ends[k]], in bytes, for k below `count`.
    """
    if k + LOOKAHEAD < count:
        prefetch_text(text + starts[k + LOOKAHEAD], ends[k + LOOKAHEAD] - starts[k + LOOKAHEAD])

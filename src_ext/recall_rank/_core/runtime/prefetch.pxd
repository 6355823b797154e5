# Memory that is asked for before it is read: what is in no cache takes as long to come as a hundred comparisons, and
# several such waits together no longer than one.

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define rr_prefetch(p) __builtin_prefetch(p)
    #else
    #define rr_prefetch(p) ((void)(p))
    #endif
    """
    void rr_prefetch(const void* address) noexcept nogil

cdef enum:
    LINE = 64         # bytes that come together
    BEGINNING = 512   # bytes of a text that are asked for; the processor sees by itself how it goes on
    PASSAGES = 2      # how many passages ahead of the one that is read


cdef inline void ask_for(const unsigned char* text, uint64_t size) noexcept nogil:
    """Ask for the beginning of a text that is read soon."""
    cdef uint64_t at = 0
    while at < size and at < BEGINNING:
        rr_prefetch(text + at)
        at += LINE


cdef inline void ask_for_passage(const unsigned char* text, const uint64_t* starts, const uint64_t* ends,
                                 Py_ssize_t count, Py_ssize_t k) noexcept nogil:
    """While passage `k` of `count` is read, ask for one that is read soon."""
    if k + PASSAGES < count:
        ask_for(text + starts[k + PASSAGES], ends[k + PASSAGES] - starts[k + PASSAGES])

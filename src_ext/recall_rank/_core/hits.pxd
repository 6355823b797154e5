from libc.stdint cimport uint32_t

from recall_rank._core.layout cimport Layout

cdef struct Hit:
    float score
    float base     # the part's own evidence
    uint32_t part
    uint32_t doc   # its best passage

cdef void best_first(Hit* hits, Py_ssize_t total, Py_ssize_t count, Layout layout) noexcept nogil

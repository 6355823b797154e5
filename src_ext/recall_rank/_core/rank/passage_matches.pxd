from libc.stdint cimport uint64_t

from recall_rank._core.rank.features cimport Asked, Event

cdef struct Match:         # bytes [start, end) of the text, words [slot, slot + span) of the query
    Py_ssize_t start
    Py_ssize_t end
    float similarity
    int slot
    int span

cdef class Spot:
    cdef readonly uint64_t slots
    cdef readonly int fields
    cdef readonly Py_ssize_t first
    cdef readonly Py_ssize_t last
    cdef const unsigned char[::1] text
    cdef Match* matches
    cdef Py_ssize_t count

    cdef int begin(self, const unsigned char[::1] text, Py_ssize_t at) except -1
    cdef int look(self, Py_ssize_t start, Py_ssize_t end, const Event* events, Py_ssize_t found, const Asked* asked,
                  int label, Py_ssize_t width) except -1
    cdef Py_ssize_t in_the_middle(self) noexcept nogil

from libc.stdint cimport uint64_t

from recall_rank._core.rank.features cimport FormMatch, QueryWords

cdef struct TextMatch:     # bytes [start, end) of the text match slots [slot, slot + span) of the query
    Py_ssize_t start
    Py_ssize_t end
    float similarity
    int slot
    int span

cdef class PassageMatches:
    cdef readonly uint64_t slots
    cdef readonly int fields
    cdef readonly Py_ssize_t first
    cdef readonly Py_ssize_t last
    cdef const unsigned char[::1] text
    cdef TextMatch* kept
    cdef Py_ssize_t count

    cdef int begin(self, const unsigned char[::1] text, Py_ssize_t at) except -1
    cdef int fill(self, Py_ssize_t start, Py_ssize_t end, const FormMatch* found, Py_ssize_t count,
                  const QueryWords* query, int label, Py_ssize_t width) except -1
    cdef bint is_inside(self, const TextMatch* match, Py_ssize_t low, Py_ssize_t high) noexcept nogil
    cdef Py_ssize_t middle_between(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil
    cdef double weight_between(self, Py_ssize_t low, Py_ssize_t high, list weights) except -1
    cdef Py_ssize_t shown_match(self, const uint64_t[::1] fields, list weights) except -1

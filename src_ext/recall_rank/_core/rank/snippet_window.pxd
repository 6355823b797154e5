from libc.stdint cimport uint8_t, uint64_t

from recall_rank._core.rank.best_span cimport Place

cdef struct Shown:
    Py_ssize_t size   # of what may be shown; all in characters
    Py_ssize_t low
    Py_ssize_t high
    Py_ssize_t count  # of places

cdef class Near:
    cdef const uint8_t[::1] data
    cdef readonly int field         # the byte of the field less 0xF8
    cdef Py_ssize_t front           # bytes: the field is [front, behind)
    cdef Py_ssize_t behind
    cdef readonly Py_ssize_t start  # and what of it may be shown [start, end)
    cdef readonly Py_ssize_t end
    cdef Place* matches             # in characters from `start`
    cdef Shown shown

    cdef int look(self, const uint8_t[::1] text, const uint64_t[::1] fields, Py_ssize_t at, Py_ssize_t first,
                  Py_ssize_t last, Py_ssize_t width, begin) except -1
    cdef int find(self, const uint64_t[::1] fields, Py_ssize_t at) except -1
    cdef int choose(self, Place* places, Py_ssize_t count, Py_ssize_t first, Py_ssize_t last,
                    Py_ssize_t width) except -1
    cdef Py_ssize_t in_front(self) except -1
    cdef str left(self)
    cdef str right(self)
    cdef str decoded(self, Py_ssize_t start, Py_ssize_t end)

cdef uint8_t greatest(const uint8_t* text, Py_ssize_t size) noexcept nogil

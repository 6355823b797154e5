from libc.stdint cimport uint8_t, uint64_t

cdef enum:
    SLOT_COUNT = 64        # a slot is a word of the query

cdef struct MatchSpan:     # a match of the query in a text: [start, end)
    Py_ssize_t start
    Py_ssize_t end
    double weight
    int slot

cdef struct Shown:         # all in characters of the window
    Py_ssize_t size        # of the window
    Py_ssize_t low         # [low, high) is shown
    Py_ssize_t high
    Py_ssize_t count       # of matches that are shown

cdef class SnippetWindow:
    cdef const uint8_t[::1] data
    cdef readonly int field         # the byte of the field less 0xF8
    cdef Py_ssize_t field_start     # bytes of the field's text
    cdef Py_ssize_t field_end
    cdef readonly Py_ssize_t start  # bytes of the window: as much of the field as may be shown
    cdef readonly Py_ssize_t end
    cdef MatchSpan* matches         # in characters from `start`
    cdef Shown shown

    cdef int open(self, const uint8_t[::1] text, const uint64_t[::1] fields, Py_ssize_t at, Py_ssize_t first,
                  Py_ssize_t last, Py_ssize_t width, begin) except -1
    cdef int find_field(self, const uint64_t[::1] fields, Py_ssize_t at) except -1
    cdef int select_spans(self, MatchSpan* spans, Py_ssize_t count, Py_ssize_t first, Py_ssize_t last,
                          Py_ssize_t width) except -1
    cdef Py_ssize_t characters_before(self) except -1
    cdef str left_ellipsis(self)
    cdef str right_ellipsis(self)
    cdef str decoded(self, Py_ssize_t start, Py_ssize_t end)

cdef double REPEAT         # the share of its weight for which a repeated word counts

cdef void best_span(const MatchSpan* spans, Py_ssize_t count, Py_ssize_t width, Py_ssize_t* first,
                    Py_ssize_t* last) noexcept nogil
cdef uint8_t greatest_byte(const uint8_t* text, Py_ssize_t size) noexcept nogil

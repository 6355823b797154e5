from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.index.doc_columns cimport DocColumns

cdef struct Hit:
    float score
    float base     # the part's own evidence
    uint32_t part
    uint32_t doc   # its best passage
    uint32_t tier  # hits of a tier rank before those of the next

cdef struct SessionHits:
    const Hit* shown    # the best content, or the title where there is nothing else
    const Hit* best
    uint32_t count
    uint32_t title      # whether the title is a hit
    uint32_t content    # whether `shown` is content

cdef class Hits:
    cdef Hit* rows
    cdef Py_ssize_t count
    cdef Hit* room_for(self, Py_ssize_t count) except NULL

cdef Hits copied(const Hit* hits, Py_ssize_t count)
cdef bint has_room(Hit** hits, Py_ssize_t* room, Py_ssize_t wanted) noexcept nogil
cdef void release_hits(Hit* hits, Py_ssize_t room) noexcept nogil
cdef void mark_parts(const Hit* hits, Py_ssize_t count, uint8_t* parts) noexcept nogil
cdef Py_ssize_t next_marked(const uint8_t* marks, Py_ssize_t at, Py_ssize_t count) noexcept nogil
cdef void add_hit(SessionHits* rows, const Hit* hit, DocColumns columns) noexcept nogil
cdef void best_first(Hit* hits, Py_ssize_t total, Py_ssize_t count, DocColumns columns) noexcept nogil

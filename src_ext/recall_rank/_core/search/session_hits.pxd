from libc.stdint cimport uint32_t

cdef struct SessionRow:     # a SessionHit
    float score
    uint32_t session
    uint32_t part
    uint32_t doc
    uint32_t hits
    uint32_t title
    uint32_t tier

cdef class SessionHits:
    cdef SessionRow* rows   # best first, after finish()
    cdef Py_ssize_t count
    cdef uint32_t* places   # u32[places_size]: 1 + the row of each session, 0 for one without hits
    cdef Py_ssize_t places_size
    cdef int reserve(self, Py_ssize_t room) except -1
    cdef int finish(self) except -1
    cdef const SessionRow* row_of(self, Py_ssize_t session) noexcept nogil
    cdef object record(self, const SessionRow* row)

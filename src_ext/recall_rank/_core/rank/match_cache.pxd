from recall_rank._core.rank.features cimport Event

cdef struct Passage:
    const unsigned char* first
    const unsigned char* last
    Py_ssize_t events  # its first one among those that are kept
    Py_ssize_t count

cdef struct Kept:
    Passage* passages
    Event* events
    Py_ssize_t passage_count
    Py_ssize_t passage_room
    Py_ssize_t event_count
    Py_ssize_t event_room

cdef bint kept_add(Kept* kept, const unsigned char* first, const unsigned char* last, const Event* events,
                   Py_ssize_t count) noexcept nogil
cdef const Passage* kept_find(const Kept* kept, const unsigned char* first, const unsigned char* last) noexcept nogil
cdef void kept_clear(Kept* kept) noexcept nogil
cdef void kept_free(Kept* kept) noexcept nogil

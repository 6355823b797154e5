from libc.stdint cimport int64_t, uint64_t

from recall_rank._core.rank.features cimport FormMatch, QueryWords
from recall_rank._core.rank.query_forms cimport QueryForms
from recall_rank._core.text.token_buffer cimport TokenBuffer

cdef struct CachedPassage:
    const unsigned char* first  # its bytes are at the addresses [first, last)
    const unsigned char* last
    Py_ssize_t matches  # the index of its first match in MatchCache.matches
    Py_ssize_t count

cdef struct MatchCache:
    CachedPassage* passages
    FormMatch* matches
    Py_ssize_t passage_count
    Py_ssize_t passage_room
    Py_ssize_t match_count
    Py_ssize_t match_room

cdef class Matcher:
    cdef QueryForms forms
    cdef QueryWords query
    cdef int cues                 # of the passage that was read last
    cdef list texts               # keeps the texts of cached passages alive: the cache knows them by address
    cdef MatchCache cache

    cdef void forget(self)
    cpdef bint add(self, bytes form, int slot, int span, float similarity) except -1
    cpdef bint add_prefix(self, bytes form, int slot, float similarity) except -1
    cdef Py_ssize_t measure_passages(self, const unsigned char[::1] text, const uint64_t[::1] starts,
                                     const uint64_t[::1] ends, int width, float* out,
                                     int64_t deadline_ns) except -1
    cdef Py_ssize_t match_tokens(self, TokenBuffer* buffer, FormMatch* matches) noexcept nogil
    cdef FormMatch* read(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end,
                         Py_ssize_t* found) except NULL
    cdef list names(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end, list wanted)
    cdef const FormMatch* matches_of(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end,
                                     Py_ssize_t* count, FormMatch** own) except NULL

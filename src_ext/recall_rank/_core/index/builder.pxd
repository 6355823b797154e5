from libc.stdint cimport int64_t, uint32_t, uint64_t

from recall_rank._core.text.token_buffer cimport TokenBuffer
from recall_rank._core.index.intern cimport Interner, Slot

cdef struct Pair

cdef struct Block:
    Pair* pairs
    uint64_t count
    uint64_t capacity


cdef class SegmentBuilder:
    cdef Interner table
    cdef TokenBuffer buffer
    cdef Block* blocks
    cdef uint32_t* signatures   # of the first signed_count terms, in the order in which they occurred
    cdef uint32_t signed_count
    cdef uint32_t docs
    cdef uint32_t block_count
    cdef bint frozen
    cdef int count_term(self, Block* block, Slot* slot) noexcept nogil
    cdef Block* current(self) noexcept nogil
    cdef int64_t add_document(self, const unsigned char* text, Py_ssize_t size, bint goes_on) noexcept nogil
    cdef int tagged(self, bytes tag, bytes value) except -1
    cdef int add_field(self, unsigned char tag, const unsigned char* text, Py_ssize_t size) noexcept nogil
    cdef dict columns(self, bint last)
    cdef int sign_new_terms(self) except -1
    cdef dict vocabulary(self, uint32_t* renumbered)
    cdef tuple postings(self, uint32_t* renumbered, bint last)

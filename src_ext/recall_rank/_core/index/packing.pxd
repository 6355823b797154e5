from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef struct Entry:       # the postings of one term in one block
    uint32_t term
    uint32_t pointer     # as in the column

cdef class PostingsWriter:
    cdef bytearray frames
    cdef uint8_t* data              # of `frames`
    cdef uint64_t size              # bytes of `frames` in use
    cdef uint64_t room              # bytes of `frames`
    cdef uint32_t* df
    cdef readonly Py_ssize_t term_count
    cdef Entry* entries
    cdef uint64_t entry_count
    cdef uint64_t entry_room
    cdef uint64_t* starts           # u64[block_count + 1]: first frame of each block, also of the current one
    cdef uint64_t* firsts           # u64[block_count + 1]: first entry of each block, also of the current one
    cdef readonly Py_ssize_t block_count
    cdef bint finished
    cdef int put(self, uint32_t term, const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count) except -1 nogil
    cdef int grow(self, uint64_t wanted) except -1
    cdef int end_block(self) except -1 nogil

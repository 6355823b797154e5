from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef struct Cursor:        # position in the postings of some terms in one block
    Py_ssize_t block
    uint32_t lone          # the next lone term, by its number among lone terms
    uint32_t lone_end
    uint32_t shared        # the next shared term, by its number among shared terms
    uint32_t shared_end
    uint64_t entry         # the next entry of the block
    const uint8_t* at      # the next frame of the current term, NULL for none
    uint32_t least         # the least document that the frame may begin with

cdef class Postings:
    cdef readonly tuple buffers    # the arguments of the constructor
    cdef list views                # views that keep the buffers alive
    cdef const uint64_t* shared_bits
    cdef const uint32_t* shared_ranks
    cdef const uint16_t* lone_docs
    cdef const uint8_t* lone_blocks
    cdef const uint8_t* df
    cdef const uint32_t* frequent
    cdef const uint32_t* more
    cdef const uint64_t* starts
    cdef const uint64_t* block_bits
    cdef const uint32_t* block_ranks
    cdef const uint32_t* pointers
    cdef const uint8_t* frames
    cdef Py_ssize_t lone_count
    cdef Py_ssize_t shared_count
    cdef Py_ssize_t frequent_count
    cdef Py_ssize_t entry_count
    cdef Py_ssize_t frames_size    # without SPARE
    cdef readonly Py_ssize_t term_count
    cdef readonly Py_ssize_t block_count
    cdef object loader             # loads the postings of terms before they are read; None: all can be read
    cdef int load(self, list ranges) except -1
    cdef int load_counts(self, list ranges) except -1
    cdef uint32_t shared_before(self, uint32_t term) noexcept nogil
    cdef void seek(self, Py_ssize_t block, uint32_t first, uint32_t last, Cursor* cursor) noexcept nogil
    cdef Py_ssize_t open(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil
    cdef Py_ssize_t next_run(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil
    cdef uint64_t count(self, uint32_t first, uint32_t last, const uint8_t* eligible,
                        Py_ssize_t documents) noexcept nogil

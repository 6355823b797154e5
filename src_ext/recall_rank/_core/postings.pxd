from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef class Postings:
    cdef readonly tuple buffers    # as they were given
    cdef const uint32_t[::1] df_view
    cdef const uint64_t[::1] starts_view
    cdef const uint32_t[::1] terms_view
    cdef const uint64_t[::1] pointers_view
    cdef const uint16_t[::1] docs_view
    cdef const uint8_t[::1] tfs_view
    cdef const uint32_t* df
    cdef const uint64_t* starts
    cdef const uint32_t* terms
    cdef const uint64_t* pointers
    cdef const uint16_t* docs
    cdef const uint8_t* tfs
    cdef readonly Py_ssize_t term_count
    cdef readonly Py_ssize_t block_count
    cdef uint64_t locate(self, Py_ssize_t block, uint32_t term) noexcept nogil
    cdef uint64_t count(self, uint32_t first, uint32_t last, const uint8_t* eligible,
                        Py_ssize_t documents) noexcept nogil

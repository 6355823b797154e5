from libc.stdint cimport uint32_t

cdef int bounded_osa(const uint32_t* a, int a_size, const uint32_t* b, int b_size, int bound) noexcept nogil

cdef void* lend(size_t size) noexcept nogil
cdef void take_back(void* memory, size_t size) noexcept nogil
cdef void* lend_clean(size_t size) noexcept nogil
cdef void take_back_clean(void* memory, size_t size) noexcept nogil

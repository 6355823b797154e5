cdef void* acquire(size_t size) noexcept nogil
cdef void release(void* memory, size_t size) noexcept nogil
cdef void* acquire_zeroed(size_t size) noexcept nogil
cdef void release_zeroed(void* memory, size_t size) noexcept nogil

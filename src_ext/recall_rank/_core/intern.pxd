from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define rr_prefetch(p) __builtin_prefetch(p)
    #else
    #define rr_prefetch(p) ((void)(p))
    #endif
    """
    void rr_prefetch(const void* address) noexcept nogil

cdef struct Slot:
    uint64_t head     # first 8 bytes of the form
    uint32_t hash
    uint32_t number   # 1 + the term's number; 0 is an empty slot

cdef struct Interner:
    Slot* slots
    uint64_t mask
    unsigned char* arena   # forms, zero-padded to multiples of 8 bytes
    uint64_t arena_size
    uint64_t arena_capacity
    uint64_t* places       # where each form begins
    uint8_t* sizes
    uint8_t* lengths
    uint32_t count
    uint32_t capacity

cdef int interner_init(Interner* table) noexcept nogil
cdef void interner_free(Interner* table) noexcept nogil
cdef int64_t intern(Interner* table, const unsigned char* form, int size, int length, uint64_t hash) noexcept nogil


cdef inline void interner_prefetch(const Interner* table, uint64_t hash) noexcept nogil:
    """Ask for the slot where a form will be looked for: inline, since every word passes here."""
    rr_prefetch(table.slots + (hash & table.mask))

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from recall_rank._core.runtime.prefetch cimport rr_prefetch

cdef enum:
    INLINE = 16  # bytes of a form in its slot: two slots fit a cache line, and most words need one line

cdef struct Slot:
    uint64_t head     # first 8 bytes of the form
    uint64_t tail     # the next 8 bytes
    uint32_t hash
    uint32_t number   # 1 + the term's number; 0 is an empty slot
    uint32_t doc      # for the caller: 1 + the last document with the term, 0 for none
    uint32_t pair     # for the caller: index of the (term, document) pair

cdef struct Interner:
    Slot* slots
    void* memory           # the allocation of the slots, which are aligned to a cache line
    uint64_t mask
    unsigned char* arena   # forms, zero-padded to multiples of 8 bytes
    uint64_t arena_size
    uint64_t arena_capacity
    uint64_t* places       # offset of each form in the arena
    uint8_t* sizes
    uint8_t* lengths
    uint32_t count
    uint32_t capacity

cdef int interner_init(Interner* table) noexcept nogil
cdef void interner_free(Interner* table) noexcept nogil
cdef Slot* intern_new(Interner* table, const unsigned char* form, int size, int length, uint64_t hash) noexcept nogil


cdef inline void interner_prefetch(const Interner* table, uint64_t hash) noexcept nogil:
    """Prefetch the slot at which the look-up of a form will begin."""
    rr_prefetch(table.slots + (hash & table.mask))


cdef inline Slot* intern(Interner* table, const unsigned char* form, int size, int length,
                         uint64_t hash) noexcept nogil:
    """Return the slot of a form in the hash table, inserted if it is new; NULL if memory ran out.

    The form has `size` bytes, is zero-padded to a multiple of 8, and has `length` code points; `hash` is form_hash().
    The slot is valid until the next call.
    """
    cdef uint64_t head, tail = 0, at = hash & table.mask
    cdef uint32_t low = hash & 0xFFFFFFFFU
    cdef Slot* slot
    memcpy(&head, form, 8)
    if size > 8:
        memcpy(&tail, form + 8, 8)
    while True:
        slot = table.slots + at
        if slot.number == 0:
            return intern_new(table, form, size, length, hash)
        if slot.head == head and slot.tail == tail and slot.hash == low:
            # a shorter form ends in a zero byte, which no form contains
            if size < INLINE or (table.sizes[slot.number - 1] == size and (size == INLINE or memcmp(
                    table.arena + table.places[slot.number - 1] + INLINE, form + INLINE, size - INLINE) == 0)):
                return slot
        at = (at + 1) & table.mask

"""A hash table that numbers the distinct forms of a growing vocabulary.

It uses open addressing, with the first 16 bytes of each form in its slot.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

cdef extern from "simd/large_pages.h":
    void rr_large_pages(void* memory, size_t size) noexcept nogil

cdef enum:
    FIRST_SLOTS = 16384
    FIRST_TERMS = 8192
    FIRST_BYTES = 131072
    LINE = 64  # bytes of a cache line


cdef int new_slots(Interner* table, uint64_t count) noexcept nogil:
    """Give the table `count` empty slots, a power of two; return 0, or -1 if memory ran out.

    The previous slots are not freed.
    """
    cdef char* memory = <char*>calloc(count * sizeof(Slot) + LINE, 1)
    if memory == NULL:
        return -1
    rr_large_pages(memory, count * sizeof(Slot) + LINE)
    table.memory = memory
    table.slots = <Slot*>(memory + (LINE - (<size_t>memory & (LINE - 1))))
    table.mask = count - 1
    return 0


cdef int interner_init(Interner* table) noexcept nogil:
    """Initialise a table; return 0, or -1 if memory ran out. interner_free() must be called in either case."""
    memset(table, 0, sizeof(Interner))
    if new_slots(table, FIRST_SLOTS) or grow_terms(table, FIRST_TERMS) or grow_arena(table, FIRST_BYTES):
        return -1
    return 0


cdef void interner_free(Interner* table) noexcept nogil:
    """Free all memory of a table and set it to zeros."""
    free(table.memory)
    free(table.arena)
    free(table.places)
    free(table.sizes)
    free(table.lengths)
    memset(table, 0, sizeof(Interner))


cdef int grow_terms(Interner* table, uint32_t wanted) noexcept nogil:
    """Resize the columns of terms to room for `wanted` terms; return 0, or -1 if memory ran out."""
    cdef void* grown = realloc(table.places, wanted * sizeof(uint64_t))
    if grown == NULL:
        return -1
    table.places = <uint64_t*>grown
    grown = realloc(table.sizes, wanted)
    if grown == NULL:
        return -1
    table.sizes = <uint8_t*>grown
    grown = realloc(table.lengths, wanted)
    if grown == NULL:
        return -1
    table.lengths = <uint8_t*>grown
    table.capacity = wanted
    return 0


cdef int grow_arena(Interner* table, uint64_t wanted) noexcept nogil:
    """Resize the arena, which holds the forms, to `wanted` bytes; return 0, or -1 if memory ran out."""
    cdef void* grown = realloc(table.arena, wanted)
    if grown == NULL:
        return -1
    table.arena = <unsigned char*>grown
    table.arena_capacity = wanted
    return 0


cdef int grow_slots(Interner* table) noexcept nogil:
    """Double the number of slots and insert all forms again; return 0, or -1 if memory ran out."""
    cdef uint64_t count = table.mask + 1, k, at
    cdef void* memory = table.memory
    cdef Slot* slots = table.slots
    if new_slots(table, count * 2):
        return -1
    for k in range(count):
        if slots[k].number:
            at = slots[k].hash & table.mask
            while table.slots[at].number:
                at = (at + 1) & table.mask
            table.slots[at] = slots[k]
    free(memory)
    return 0


cdef Slot* intern_new(Interner* table, const unsigned char* form, int size, int length, uint64_t hash) noexcept nogil:
    """Insert a form that the table does not have, and return its slot; NULL if memory ran out.

    The form has `size` bytes, is zero-padded to a multiple of 8, and has `length` code points; `hash` is form_hash().
    """
    cdef uint64_t at, padded = (size + 7) & ~7
    cdef Slot* slot
    if (table.count + <uint64_t>1) * 2 > table.mask and grow_slots(table):
        return NULL
    if table.count == table.capacity and grow_terms(table, table.capacity * 2):
        return NULL
    if table.arena_size + padded > table.arena_capacity and grow_arena(table, table.arena_capacity * 2):
        return NULL
    at = hash & table.mask
    while table.slots[at].number:
        at = (at + 1) & table.mask
    memcpy(table.arena + table.arena_size, form, padded)
    table.places[table.count] = table.arena_size
    table.sizes[table.count] = size
    table.lengths[table.count] = length
    table.arena_size += padded
    table.count += 1
    slot = table.slots + at
    memcpy(&slot.head, form, 8)
    if size > 8:
        memcpy(&slot.tail, form + 8, 8)
    slot.hash = hash & 0xFFFFFFFFU
    slot.number = table.count
    return slot

"""Number the distinct forms of a growing vocabulary: open addressing, the first 8 bytes inline in the slot."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcmp, memcpy, memset

from recall_rank._core.buffer cimport form_hash

cdef enum:
    FIRST_SLOTS = 65536
    FIRST_TERMS = 32768
    FIRST_BYTES = 524288


cdef int interner_init(Interner* table) noexcept nogil:
    """-1 when memory ran out; interner_free() is due either way."""
    memset(table, 0, sizeof(Interner))
    table.slots = <Slot*>calloc(FIRST_SLOTS, sizeof(Slot))
    table.mask = FIRST_SLOTS - 1
    if table.slots == NULL or grow_terms(table, FIRST_TERMS) or grow_arena(table, FIRST_BYTES):
        return -1
    return 0


cdef void interner_free(Interner* table) noexcept nogil:
    free(table.slots)
    free(table.arena)
    free(table.places)
    free(table.sizes)
    free(table.lengths)
    memset(table, 0, sizeof(Interner))


cdef int grow_terms(Interner* table, uint32_t wanted) noexcept nogil:
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
    cdef void* grown = realloc(table.arena, wanted)
    if grown == NULL:
        return -1
    table.arena = <unsigned char*>grown
    table.arena_capacity = wanted
    return 0


cdef int grow_slots(Interner* table) noexcept nogil:
    """Twice the slots; forms stay where they are."""
    cdef uint64_t mask = table.mask * 2 + 1, at
    cdef Slot* slots = <Slot*>calloc(mask + 1, sizeof(Slot))
    cdef uint64_t k
    cdef uint64_t hash
    cdef uint32_t number
    if slots == NULL:
        return -1
    for k in range(table.mask + 1):
        if table.slots[k].number:
            number = table.slots[k].number - 1
            hash = form_hash(table.arena + table.places[number], table.sizes[number])
            at = hash & mask
            while slots[at].number:
                at = (at + 1) & mask
            slots[at] = table.slots[k]
    free(table.slots)
    table.slots = slots
    table.mask = mask
    return 0


cdef int64_t intern(Interner* table, const unsigned char* form, int size, int length, uint64_t hash) noexcept nogil:
    """The number of a zero-padded form, new or known; -1 when memory ran out."""
    cdef uint64_t head, at = hash & table.mask, padded
    cdef uint32_t high = hash >> 32
    cdef Slot* slot
    cdef uint32_t number
    memcpy(&head, form, 8)
    while True:
        slot = table.slots + at
        if slot.number == 0:
            break
        if slot.hash == high and slot.head == head:
            number = slot.number - 1
            if table.sizes[number] == size and (
                    size <= 8 or memcmp(table.arena + table.places[number], form, size) == 0):
                return number
        at = (at + 1) & table.mask
    padded = (size + 7) & ~7
    if table.count == table.capacity and grow_terms(table, table.capacity * 2):
        return -1
    if table.arena_size + padded > table.arena_capacity and grow_arena(table, table.arena_capacity * 2):
        return -1
    memcpy(table.arena + table.arena_size, form, padded)
    table.places[table.count] = table.arena_size
    table.sizes[table.count] = size
    table.lengths[table.count] = length
    table.arena_size += padded
    table.count += 1
    slot.head = head
    slot.hash = high
    slot.number = table.count
    number = table.count - 1
    if table.count * <uint64_t>2 > table.mask and grow_slots(table):
        return -1
    return number

# Forms in the order of their bytes: sorted by their first eight, which are a number, and by the rest where those agree.

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

cdef enum:
    HEAD = 8    # bytes of a head
    FEW = 48    # so many are sorted sooner by comparing them

cdef struct Key:
    uint64_t head     # first 8 bytes, big-endian: compares like the bytes
    uint32_t number
    uint32_t size
    const unsigned char* form


cdef inline int by_bytes(const void* left, const void* right) noexcept nogil:
    cdef const Key* a = <const Key*>left
    cdef const Key* b = <const Key*>right
    cdef int order
    if a.head != b.head:
        return -1 if a.head < b.head else 1
    order = memcmp(a.form, b.form, a.size if a.size < b.size else b.size)
    if order:
        return order
    return -1 if a.size < b.size else 1 if a.size > b.size else 0


cdef inline void sort_by_head(Key* keys, Key* spare, size_t count) noexcept nogil:
    """From the last byte of the heads to the first, each pass leaving those alike as they are; `spare` is as large."""
    cdef uint32_t places[HEAD][256]
    cdef uint32_t* place
    cdef uint32_t at, held
    cdef Key* given = keys
    cdef Key* other = spare
    cdef size_t k
    cdef int j, value
    memset(places, 0, sizeof(places))
    for k in range(count):
        for j in range(HEAD):
            places[j][keys[k].head >> 8 * j & 0xFF] += 1
    for j in range(HEAD):
        place = places[j]
        if place[given[0].head >> 8 * j & 0xFF] == count:
            continue  # the same everywhere
        at = 0
        for value in range(256):
            held = place[value]
            place[value] = at
            at += held
        for k in range(count):
            value = given[k].head >> 8 * j & 0xFF
            other[place[value]] = given[k]
            place[value] += 1
        given, other = other, given
    if given != keys:
        memcpy(keys, spare, count * sizeof(Key))


cdef inline void sort_keys(Key* keys, Key* spare, size_t count) noexcept nogil:
    """Sort distinct forms; `spare` has room for as many."""
    cdef size_t first = 0, last
    if count <= FEW:
        qsort(keys, count, sizeof(Key), by_bytes)
        return
    sort_by_head(keys, spare, count)
    while first < count:
        last = first + 1
        while last < count and keys[last].head == keys[first].head:
            last += 1
        if last - first > 1:
            qsort(keys + first, last - first, sizeof(Key), by_bytes)
        first = last

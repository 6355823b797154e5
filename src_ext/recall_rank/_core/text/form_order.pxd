"""Sort of forms, that is normalised words in UTF-8: a radix sort by the first eight bytes, then comparisons.

Only forms that agree in their first eight bytes are compared.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

cdef enum:
    PREFIX_BYTES = 8  # of a form, in FormKey.prefix
    SMALL_SORT = 48   # up to this count qsort() is faster than the radix sort

cdef struct FormKey:
    uint64_t prefix            # the first 8 bytes, big-endian and zero-padded: its order is the order of the bytes
    uint32_t number            # of the form, for the caller
    uint32_t size              # bytes of the form
    const unsigned char* form  # borrowed


cdef inline int compare_forms(const void* left, const void* right) noexcept nogil:
    """Compare two FormKeys by the bytes of their forms: negative, 0 or positive, as qsort() wants it."""
    cdef const FormKey* a = <const FormKey*>left
    cdef const FormKey* b = <const FormKey*>right
    cdef int order
    if a.prefix != b.prefix:
        return -1 if a.prefix < b.prefix else 1
    order = memcmp(a.form, b.form, a.size if a.size < b.size else b.size)
    if order:
        return order
    return -1 if a.size < b.size else 1 if a.size > b.size else 0


cdef inline void radix_sort_prefixes(FormKey* keys, FormKey* spare, size_t count) noexcept nogil:
    """Sort keys[0:count], count > 0, by prefix, the first eight bytes of a form: a stable counting sort for each byte.

    The last byte is sorted first. `spare` is scratch memory for `count` keys. O(count) for each of the eight bytes; a
    byte that all prefixes share is skipped.
    """
    cdef uint32_t places[PREFIX_BYTES][256]
    cdef uint32_t* place
    cdef uint32_t at, held
    cdef FormKey* given = keys
    cdef FormKey* other = spare
    cdef size_t k
    cdef int j, value
    memset(places, 0, sizeof(places))
    for k in range(count):
        for j in range(PREFIX_BYTES):
            places[j][keys[k].prefix >> 8 * j & 0xFF] += 1
    for j in range(PREFIX_BYTES):
        place = places[j]
        if place[given[0].prefix >> 8 * j & 0xFF] == count:
            continue  # all keys share this byte
        at = 0
        for value in range(256):
            held = place[value]
            place[value] = at
            at += held
        for k in range(count):
            value = given[k].prefix >> 8 * j & 0xFF
            other[place[value]] = given[k]
            place[value] += 1
        given, other = other, given
    if given != keys:
        memcpy(keys, spare, count * sizeof(FormKey))


cdef inline void sort_forms(FormKey* keys, FormKey* spare, size_t count) noexcept nogil:
    """Sort keys[0:count] by the bytes of their forms, which are distinct; `spare` is scratch memory for `count` keys.
    """
    cdef size_t first = 0, last
    if count <= SMALL_SORT:
        qsort(keys, count, sizeof(FormKey), compare_forms)
        return
    radix_sort_prefixes(keys, spare, count)
    while first < count:
        last = first + 1
        while last < count and keys[last].prefix == keys[first].prefix:
            last += 1
        if last - first > 1:
            qsort(keys + first, last - first, sizeof(FormKey), compare_forms)
        first = last

# Which forms may be terms: a Bloom filter (Bloom 1970), both bits of a term in one word of 64. Most of what is looked
# up is no term: that costs one look instead of a search; at most one in sixty is searched for all the same.

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from recall_rank._core.runtime.prefetch cimport rr_prefetch
from recall_rank._core.text.token_buffer cimport MAX_TERM, form_hash

cdef enum:
    BITS_A_TERM = 16      # at least
    MOST_TERMS = 131_072  # of more there is no filter: to add one takes some 20 ns, and the first search waits for all

cdef struct Bloom:
    uint64_t* words  # NULL where there is no filter: any form may be held
    uint64_t last    # a power of two less one


cdef inline bint bloom_init(Bloom* filter, uint64_t terms) noexcept nogil:
    """Room for so many terms, none of which is held yet, unless they are too many; False when memory ran out."""
    cdef uint64_t count = 1
    filter.words = NULL
    if terms > MOST_TERMS:
        return True
    while count * 64 < terms * BITS_A_TERM:
        count *= 2
    filter.last = count - 1
    filter.words = <uint64_t*>PyMem_RawCalloc(count, sizeof(uint64_t))
    return filter.words != NULL


cdef inline void bloom_free(Bloom* filter) noexcept nogil:
    PyMem_RawFree(filter.words)


cdef inline uint64_t bits_of(const unsigned char* form, Py_ssize_t size, uint64_t* hash) noexcept nogil:
    """The bits of a form of at most MAX_TERM bytes, and the hash that tells in which word they are."""
    cdef unsigned char padded[MAX_TERM + 8]
    memcpy(padded, form, size)
    memset(padded + size, 0, 8)
    hash[0] = form_hash(padded, size)
    return <uint64_t>1 << (hash[0] & 63) | <uint64_t>1 << (hash[0] >> 6 & 63)


cdef inline void bloom_add(Bloom* filter, const unsigned char* form, Py_ssize_t size) noexcept nogil:
    cdef uint64_t hash, bits
    if filter.words != NULL:
        bits = bits_of(form, size, &hash)
        filter.words[hash >> 12 & filter.last] |= bits


cdef inline void bloom_ask(const Bloom* filter, const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Ask for what bloom_may_hold() of the form reads: several such looks wait together."""
    cdef uint64_t hash
    if 0 < size <= MAX_TERM and filter.words != NULL:
        bits_of(form, size, &hash)
        rr_prefetch(filter.words + (hash >> 12 & filter.last))


cdef inline bint bloom_may_hold(const Bloom* filter, const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Whether the form may have been added; never False for one that was."""
    cdef uint64_t hash, bits
    if filter.words == NULL:
        return True
    bits = bits_of(form, size, &hash)
    return filter.words[hash >> 12 & filter.last] & bits == bits

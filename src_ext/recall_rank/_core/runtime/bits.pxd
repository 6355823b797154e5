"""Sets of numbers as bits, 64 a word, and how many are before one: counted up to every 256th beforehand."""

from libc.stdint cimport uint32_t, uint64_t


cdef inline Py_ssize_t words_of(Py_ssize_t numbers) noexcept nogil:
    return (numbers + 63) >> 6


cdef inline Py_ssize_t ranks_of(Py_ssize_t numbers) noexcept nogil:
    return (numbers >> 8) + 1


cdef inline bint is_set(const uint64_t* words, uint64_t number) noexcept nogil:
    return words[number >> 6] >> (number & 63) & 1


cdef inline uint64_t ones(uint64_t word) noexcept nogil:
    """How many bits are set, on processors old and new."""
    word -= word >> 1 & <uint64_t>0x5555555555555555
    word = (word & <uint64_t>0x3333333333333333) + (word >> 2 & <uint64_t>0x3333333333333333)
    return ((word + (word >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F) * <uint64_t>0x0101010101010101 >> 56


cdef inline uint64_t rank(const uint64_t* words, const uint32_t* ranks, uint64_t number) noexcept nogil:
    """How many numbers of the set are below `number`, which may be the one behind the last."""
    cdef uint64_t found = ranks[number >> 8], word
    for word in range(number >> 8 << 2, number >> 6):
        found += ones(words[word])
    if number & 63:
        found += ones(words[number >> 6] & ((<uint64_t>1 << (number & 63)) - 1))
    return found

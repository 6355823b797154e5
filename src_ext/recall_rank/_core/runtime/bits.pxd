"""Bit sets with rank: a set of numbers below n is an array u64[bitset_words(n)], number k is bit k % 64 of word k / 64.

A second array u32[bitset_ranks(n)] holds, for every 256th number, the count of members below it; it makes rank() O(1).
"""

from libc.stdint cimport uint32_t, uint64_t


cdef inline Py_ssize_t bitset_words(Py_ssize_t numbers) noexcept nogil:
    """Return how many u64 words a bit set of numbers below `numbers` takes."""
    return (numbers + 63) >> 6


cdef inline Py_ssize_t bitset_ranks(Py_ssize_t numbers) noexcept nogil:
    """Return how many u32 entries the rank array of a bit set of numbers below `numbers` has.

    Entry k is the count of members below 256 * k.
    """
    return (numbers >> 8) + 1


cdef inline bint bitset_has(const uint64_t* words, uint64_t number) noexcept nogil:
    """Return whether `number` is a member of the bit set `words`."""
    return words[number >> 6] >> (number & 63) & 1


cdef inline uint64_t popcount(uint64_t word) noexcept nogil:
    """Return the count of bits of `word` that are set.

    Written out, because the POPCNT instruction is missing on the oldest processors of x86-64. Algorithm: parallel sums
    of bits, pairs, nibbles and bytes (Warren, "Hacker's Delight", 5-1).
    """
    word -= word >> 1 & <uint64_t>0x5555555555555555
    word = (word & <uint64_t>0x3333333333333333) + (word >> 2 & <uint64_t>0x3333333333333333)
    return ((word + (word >> 4)) & <uint64_t>0x0F0F0F0F0F0F0F0F) * <uint64_t>0x0101010101010101 >> 56


cdef inline uint64_t rank(const uint64_t* words, const uint32_t* ranks, uint64_t number) noexcept nogil:
    """Return the count of members of the bit set `words` that are below `number`; reads at most four words.

    ranks[k] is the count of members below 256 * k. `number` may be as large as the end of the numbers that the set can
    hold.
    """
    cdef uint64_t found = ranks[number >> 8], word
    for word in range(number >> 8 << 2, number >> 6):
        found += popcount(words[word])
    if number & 63:
        found += popcount(words[number >> 6] & ((<uint64_t>1 << (number & 63)) - 1))
    return found

"""Optimal string alignment (OSA) distance of two strings, computed only up to a bound.

Insertion, deletion, substitution and the swap of two neighbouring characters cost 1 each. Unlike in the Damerau
distance, no character is edited twice.
"""

from libc.stdint cimport uint32_t

cdef enum:
    MAX_CHARS = 512  # code points of a string


cdef int bounded_osa(const uint32_t* a, int a_size, const uint32_t* b, int b_size, int bound) noexcept nogil:
    """Return the OSA distance of the code points a[0:a_size] and b[0:b_size], or bound + 1 where it is larger.

    Both sizes are at most MAX_CHARS. Only the band of 2 * bound + 1 diagonals is filled (Ukkonen 1985, "Algorithms for
    approximate string matching"); three rows are kept, because a swap reads two rows up. O(bound * a_size).
    """
    cdef int rows[3][MAX_CHARS + 1]
    cdef int i, j, low, high, best, cost, value
    cdef int* before
    cdef int* above
    cdef int* row
    cdef int beyond = bound + 1, previous = 0
    if a_size - b_size > bound or b_size - a_size > bound:
        return beyond
    while a_size and b_size and a[0] == b[0]:
        a += 1
        b += 1
        a_size -= 1
        b_size -= 1
    while a_size and b_size and a[a_size - 1] == b[b_size - 1]:
        a_size -= 1
        b_size -= 1
    if a_size == 0 or b_size == 0:
        return a_size + b_size
    above = rows[0]
    row = rows[1]
    before = rows[2]
    for j in range(b_size + 1):
        above[j] = j if j <= bound else beyond
        before[j] = beyond
    for i in range(1, a_size + 1):
        low = i - bound if i > bound else 1
        high = i + bound if i + bound < b_size else b_size
        row[low - 1] = i if low == 1 and i <= bound else beyond
        best = row[low - 1]
        for j in range(low, high + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            value = above[j - 1] + cost
            if j < i + bound and above[j] + 1 < value:
                value = above[j] + 1
            if row[j - 1] + 1 < value:
                value = row[j - 1] + 1
            if i > 1 and j > 1 and cost and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1] and before[j - 2] + 1 < value:
                value = before[j - 2] + 1
            if value > beyond:
                value = beyond
            row[j] = value
            if value < best:
                best = value
        if high < b_size:
            row[high + 1] = beyond
        # a swap reads two rows up: only two rows in succession beyond the bound end the search
        if best > bound and previous > bound:
            return beyond
        previous = best
        before, above, row = above, row, before
    return above[b_size] if above[b_size] <= bound else beyond


def osa_distance(str a not None, str b not None, int bound):
    """Return the OSA distance of two strings, or bound + 1 where it is larger than `bound`.

    Raises ValueError for a bound outside 0 to 8 and for strings of more than 512 characters. O(bound * len(a)).
    """
    cdef uint32_t left[MAX_CHARS]
    cdef uint32_t right[MAX_CHARS]
    cdef int k
    if not 0 <= bound <= 8:
        raise ValueError(f"bound must be 0 to 8, not {bound}")
    if len(a) > MAX_CHARS or len(b) > MAX_CHARS:
        raise ValueError(f"strings are compared up to {MAX_CHARS} characters")
    for k in range(len(a)):
        left[k] = ord(a[k])
    for k in range(len(b)):
        right[k] = ord(b[k])
    return bounded_osa(left, len(a), right, len(b), bound)

"""Columns that are computed from other columns, and therefore not stored on disk."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport uint32_t, uint64_t


def owners(const uint32_t[::1] firsts not None, Py_ssize_t count):
    """Return the owner number of each of `count` rows, such as the message of each part, a memoryview u32.

    Rows firsts[n] to firsts[n + 1] - 1 belong to owner n. Raises ValueError unless `firsts` begins with 0, ascends, and
    ends with `count`.
    """
    cdef Py_ssize_t n, row, last = firsts.shape[0] - 1
    cdef bint good = last >= 0 and count >= 0
    cdef uint32_t* out
    good = good and firsts[0] == 0 and firsts[last] == count
    for n in range(last if good else 0):
        good = good and firsts[n] <= firsts[n + 1]
    if not good:
        raise ValueError("rows are out of order, or of nobody")
    made = bytearray(count * sizeof(uint32_t))
    out = <uint32_t*>PyByteArray_AS_STRING(made)
    with nogil:
        for n in range(last):
            for row in range(firsts[n], firsts[n + 1]):
                out[row] = <uint32_t>n
    return memoryview(made).toreadonly().cast("I")


def values_at(const uint64_t[::1] values not None, const uint32_t[::1] places not None):
    """Return values[place] for each of `places`, a memoryview u64. Raises ValueError for a place outside of `values`.
    """
    cdef Py_ssize_t k, count = places.shape[0], size = values.shape[0]
    cdef bint good = True
    cdef uint64_t* out
    made = bytearray(count * sizeof(uint64_t))
    out = <uint64_t*>PyByteArray_AS_STRING(made)
    with nogil:
        for k in range(count):
            if places[k] >= size:
                good = False
                break
            out[k] = values[places[k]]
    if not good:
        raise ValueError("a place is not there")
    return memoryview(made).toreadonly().cast("Q")


def piece_sizes(const uint64_t[::1] starts not None, const uint32_t[::1] whose not None):
    """Return the size in bytes of each piece that another piece of its owner follows, a memoryview u32.

    Pieces are consecutive byte ranges, such as documents, and owners their parts. starts, u64[pieces + 1], are the byte
    offsets of the pieces; whose, u32[pieces], are the numbers of their owners. piece_starts() is the inverse. Raises
    ValueError for a piece of 4 GiB or more, and for arrays that do not agree in length.
    """
    cdef Py_ssize_t k, found = 0, count = whose.shape[0]
    cdef bint good = True
    cdef uint32_t* out
    if starts.shape[0] != count + 1:
        raise ValueError("starts must have one number more than there are pieces")
    made = bytearray(count * sizeof(uint32_t))
    out = <uint32_t*>PyByteArray_AS_STRING(made)
    with nogil:
        for k in range(1, count):
            if whose[k] == whose[k - 1]:
                good = good and starts[k] - starts[k - 1] <= 0xFFFFFFFFU
                out[found] = <uint32_t>(starts[k] - starts[k - 1])
                found += 1
    if not good:
        raise ValueError("a piece is too long")
    del made[found * sizeof(uint32_t):]
    return memoryview(made).toreadonly().cast("I")


def piece_starts(const uint64_t[::1] begins not None, const uint32_t[::1] firsts not None,
                 const uint32_t[::1] sizes not None):
    """Return the start of every piece and the end of the last, a memoryview u64[pieces + 1].

    This is the inverse of piece_sizes(). begins, u64[owners + 1]: the byte at which each owner's first piece starts,
    and the end of all. firsts, u32[owners + 1]: the number of each owner's first piece, ascending from 0, and the
    number of all pieces. sizes, u32: the result of piece_sizes(). Raises ValueError if the arrays do not agree.
    """
    cdef Py_ssize_t n, piece, size = 0, last = firsts.shape[0] - 1
    cdef uint64_t at
    cdef uint64_t* out
    cdef bint good = last >= 0 and begins.shape[0] == last + 1
    good = good and firsts[0] == 0
    for n in range(last if good else 0):
        good = good and firsts[n] <= firsts[n + 1]
        if firsts[n] < firsts[n + 1]:
            size += firsts[n + 1] - firsts[n] - 1
    if not good or size != sizes.shape[0]:
        raise ValueError("the pieces do not fit together")
    made = bytearray((firsts[last] + <Py_ssize_t>1) * sizeof(uint64_t))
    out = <uint64_t*>PyByteArray_AS_STRING(made)
    with nogil:
        size = 0
        for n in range(last):
            at = begins[n]
            for piece in range(firsts[n], firsts[n + 1]):
                if piece > firsts[n]:
                    at += sizes[size]
                    size += 1
                out[piece] = at
        out[firsts[last]] = begins[last]
    return memoryview(made).toreadonly().cast("Q")

"""How many documents of a few ranges hold a term, without a look at other blocks than theirs."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from recall_rank._core.index.posting_frames cimport BLOCK, ROOM
from recall_rank._core.index.postings cimport Cursor, Postings


cdef Py_ssize_t below(const uint16_t* docs, Py_ssize_t last, int64_t doc) noexcept nogil:
    """How many of `last` ascending documents are below `doc`."""
    cdef Py_ssize_t first = 0, middle
    while first < last:
        middle = first + (last - first) // 2
        if docs[middle] < doc:
            first = middle + 1
        else:
            last = middle
    return first


cdef bint reaches(const uint32_t[::1] starts, const uint32_t[::1] ends, int64_t base) noexcept nogil:
    """Whether a range goes into the block that begins with document `base`."""
    cdef Py_ssize_t k
    for k in range(starts.shape[0]):
        if starts[k] < ends[k] and starts[k] < base + BLOCK and ends[k] > base:
            return True
    return False


def held_in(Postings postings not None, Py_ssize_t first, Py_ssize_t last, const uint32_t[::1] starts not None,
            const uint32_t[::1] ends not None):
    """Documents of the ranges [starts[k], ends[k]) that hold the terms [first, last), summed over terms and ranges.

    The postings of blocks into which a range goes are read, once for all ranges. Ranges may lie behind the last
    document.
    """
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef Py_ssize_t k, block, count, ranges = starts.shape[0]
    cdef int64_t base
    cdef uint64_t found = 0
    cdef Cursor cursor
    if not 0 <= first <= last <= postings.term_count:
        raise IndexError((first, last))
    if ends.shape[0] != ranges:
        raise ValueError("starts and ends differ in length")
    with nogil:
        for block in range(postings.block_count):
            base = block * BLOCK
            if not reaches(starts, ends, base):
                continue
            postings.seek(block, first, last, &cursor)
            while True:
                count = postings.next_run(&cursor, docs, tfs)
                if count == 0:
                    break
                for k in range(ranges):
                    if starts[k] < ends[k] and starts[k] <= base + docs[count - 1] and ends[k] > base + docs[0]:
                        found += below(docs, count, ends[k] - base) - below(docs, count, starts[k] - base)
    return found

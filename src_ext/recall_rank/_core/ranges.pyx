"""How many documents of a few ranges hold a term, without reading the postings of all others."""

from libc.stdint cimport uint16_t, uint32_t, uint64_t

from recall_rank._core.postings cimport Postings

cdef enum:
    BLOCK = 65536


cdef uint64_t below(const uint16_t* docs, uint64_t first, uint64_t last, uint32_t doc) noexcept nogil:
    """The first place in [first, last) whose document is not below `doc`."""
    cdef uint64_t middle
    while first < last:
        middle = first + (last - first) // 2
        if docs[middle] < doc:
            first = middle + 1
        else:
            last = middle
    return first


def held_in(Postings postings not None, Py_ssize_t first, Py_ssize_t last, const uint32_t[::1] starts not None,
            const uint32_t[::1] ends not None):
    """Documents of the ranges [starts[k], ends[k]) that hold the terms [first, last), summed over terms and ranges.

    O(ranges * terms * log postings). Ranges may lie behind the last document.
    """
    cdef Py_ssize_t k, block, count = starts.shape[0]
    cdef uint32_t low, high, base
    cdef uint64_t found = 0, entry, begin, end
    if not 0 <= first <= last <= postings.term_count:
        raise IndexError((first, last))
    if ends.shape[0] != count:
        raise ValueError("starts and ends differ in length")
    with nogil:
        for k in range(count):
            block = starts[k] // BLOCK
            while block < postings.block_count and <uint64_t>block * BLOCK < ends[k]:
                base = block * BLOCK
                low = starts[k] - base if starts[k] > base else 0
                high = ends[k] - base  # beyond the block it is above all of its documents
                entry = postings.locate(block, first)
                while entry < postings.starts[block + 1] and postings.terms[entry] < <uint32_t>last:
                    begin = below(postings.docs, postings.pointers[entry], postings.pointers[entry + 1], low)
                    end = below(postings.docs, begin, postings.pointers[entry + 1], high)
                    found += end - begin
                    entry += 1
                block += 1
    return found

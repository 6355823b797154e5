"""Passages: where a text is cut into the documents of a segment."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

cdef enum:
    HIGH_BITS = 0x80
    LETTERS_OF_TWO = 0xCE    # the least first byte of letters of two bytes, Latin ones left out
    LETTERS_OF_THREE = 0xE0  # of letters of three bytes: of Indic scripts, Thai and others
    OTHER_OF_THREE = 0xE2    # of symbols, and of characters each of which is a syllable or word

cdef uint64_t ALL_HIGH_BITS = <uint64_t>0x8080808080808080


cdef Py_ssize_t reach(const unsigned char* data, Py_ssize_t size, Py_ssize_t start, Py_ssize_t length) noexcept nogil:
    """Return the offset in data[0:size] that lies `length` behind `start`, or `size`.

    A letter of an alphabet other than the Latin one has the length 1; of anything else every byte has, so that passages
    of any alphabet hold equally many words.
    """
    cdef Py_ssize_t at = start, step, left = length
    cdef uint64_t eight
    while left > 0 and at < size:
        if left >= 8 and size - at >= 8:
            memcpy(&eight, data + at, 8)
            if not eight & ALL_HIGH_BITS:
                at += 8
                left -= 8
                continue
        step = 1
        if LETTERS_OF_TWO <= data[at] < LETTERS_OF_THREE:
            step = 2
        elif LETTERS_OF_THREE <= data[at] < OTHER_OF_THREE:
            step = 3
        while step > 1 and at + 1 < size and data[at + 1] & 0xC0 == HIGH_BITS:
            at += 1
            step -= 1
        at += 1
        left -= 1
    return at


cdef Py_ssize_t end_of_last_byte(const unsigned char* data, Py_ssize_t floor, Py_ssize_t end,
                                 unsigned char wanted) noexcept nogil:
    """Return the offset behind the last byte `wanted` in data[floor:end], or -1 if there is none.

    A byte that labels a field, 0xF8 to 0xFF, ends the line before it: if `wanted` is a line feed, and such a byte
    stands above `floor` and behind the last line feed, the offset of that byte is returned.
    """
    while end > floor:
        end -= 1
        if data[end] == wanted or (data[end] >= 0xF8 and wanted == c"\n" and end > floor):
            return end + 1 if data[end] == wanted else end
    return -1


cdef Py_ssize_t end_of_last_sentence(const unsigned char* data, Py_ssize_t floor, Py_ssize_t end) noexcept nogil:
    """Return the offset behind the last blank in data[floor:end] that follows a full stop, ! or ?; -1 if there is none.
    """
    while end > floor + 1:
        end -= 1
        if data[end] == c" " and (data[end - 1] == c"." or data[end - 1] == c"!" or data[end - 1] == c"?"):
            return end + 1
    return -1


cdef Py_ssize_t passage_end(const unsigned char* data, Py_ssize_t size, Py_ssize_t start,
                            Py_ssize_t longest) noexcept nogil:
    """Return the offset in data[0:size] at which the passage that begins at data[start] ends.

    The passage has at most the length `longest`, as reach() counts; the last one may be a quarter longer. It ends in
    the second half of that length: behind the last line or before the last field, else behind the last sentence, else
    behind the last blank, else at the last boundary between code points.
    """
    cdef Py_ssize_t end, floor, at
    if size - start - longest <= longest // 4:  # a sum would overflow for a huge `longest`
        return size
    floor = reach(data, size, start, longest // 2)
    end = reach(data, size, floor, longest - longest // 2)
    if reach(data, size, end, longest // 4) == size:
        return size
    at = end_of_last_byte(data, floor, end, c"\n")
    if at < 0:
        at = end_of_last_sentence(data, floor, end)
    if at < 0:
        at = end_of_last_byte(data, floor, end, c" ")
    if at < 0:
        at = end
        while at > floor and data[at] & 0xC0 == 0x80:
            at -= 1
    return at


def passage_ends(bytes text not None, Py_ssize_t longest):
    """Return the ends of the passages of UTF-8 `text`: a list of ascending byte offsets; the last is len(text).

    A passage has at most `longest` bytes, in which a letter of an alphabet other than the Latin one counts as one; the
    last may be a quarter longer. It ends in the second half of that length: behind the last line or before the last
    field, else behind the last sentence, else behind the last blank, else at the last boundary between code points.
    Raises ValueError for `longest` below 16. O(len(text)).
    """
    cdef const unsigned char* data = text
    cdef Py_ssize_t size = len(text), end = 0
    if longest < 16:
        raise ValueError(f"longest must be at least 16, not {longest}")
    ends = []
    while True:
        end = passage_end(data, size, end, longest)
        ends.append(end)
        if end == size:
            return ends

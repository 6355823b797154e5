"""Where a text is cut into passages, the documents of a segment; and texts in lower case."""

from cpython.unicode cimport PyUnicode_1BYTE_DATA, PyUnicode_DecodeUTF8, PyUnicode_New
from libc.stdint cimport uint64_t


cdef Py_ssize_t last_byte(const unsigned char* data, Py_ssize_t floor, Py_ssize_t end,
                          unsigned char wanted) noexcept nogil:
    """The offset behind the last `wanted` in [floor, end), or -1; the byte that begins a field also ends a line."""
    while end > floor:
        end -= 1
        if data[end] == wanted or (data[end] >= 0xF8 and wanted == c"\n" and end > floor):
            return end + 1 if data[end] == wanted else end
    return -1


cdef Py_ssize_t last_sentence(const unsigned char* data, Py_ssize_t floor, Py_ssize_t end) noexcept nogil:
    while end > floor + 1:
        end -= 1
        if data[end] == c" " and (data[end - 1] == c"." or data[end - 1] == c"!" or data[end - 1] == c"?"):
            return end + 1
    return -1


cdef Py_ssize_t passage_end(const unsigned char* data, Py_ssize_t size, Py_ssize_t start,
                            Py_ssize_t longest) noexcept nogil:
    """Where the passage that begins at `start` ends, as cut() says."""
    cdef Py_ssize_t end, floor, at
    if size - start - longest <= longest // 4:  # not a sum, which a huge `longest` overflows
        return size
    end = start + longest
    floor = start + longest // 2
    at = last_byte(data, floor, end, c"\n")
    if at < 0:
        at = last_sentence(data, floor, end)
    if at < 0:
        at = last_byte(data, floor, end, c" ")
    if at < 0:
        at = end
        while at > floor and data[at] & 0xC0 == 0x80:
            at -= 1
    return at


def cut(bytes text not None, Py_ssize_t longest):
    """Ends of the passages of UTF-8 `text`: each at most `longest` bytes, cut behind a line, else behind a sentence
    or a blank, else between two characters. A rest shorter than a quarter of `longest` joins its predecessor."""
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


cdef str in_small(const unsigned char* text, Py_ssize_t size):
    """ASCII text with small letters for capitals; None where it is not ASCII."""
    cdef Py_ssize_t k
    cdef unsigned char all_bits = 0
    cdef unsigned char* to
    for k in range(size):
        all_bits |= text[k]
    if all_bits & 0x80:
        return None
    small = PyUnicode_New(size, 0x7F)
    to = <unsigned char*>PyUnicode_1BYTE_DATA(small)
    for k in range(size):
        to[k] = text[k] | (<unsigned char>(<unsigned char>(text[k] - c'A') < 26) << 5)
    return small


def folded(const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
           const uint64_t[::1] ends not None, fold not None):
    """What stands at bytes [starts[k], ends[k]) of a text, as fold(str) gives it, which makes ASCII lower case and no
    more.

    What is no UTF-8 is replaced, what lies behind the text left out.
    """
    cdef Py_ssize_t k
    cdef uint64_t begin, end, size = text.shape[0]
    cdef str piece
    if ends.shape[0] != starts.shape[0]:
        raise ValueError("starts and ends differ in length")
    found = []
    for k in range(starts.shape[0]):
        begin, end = starts[k], min(ends[k], size)
        piece = in_small(&text[begin], end - begin) if begin < end else ""
        if piece is None:
            piece = fold(PyUnicode_DecodeUTF8(<const char*>&text[begin], end - begin, "replace"))
        found.append(piece)
    return found

# Code points of UTF-8, read and written: inline in every room that does.

from libc.stdint cimport uint32_t


cdef inline Py_ssize_t decode(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                              uint32_t* point) noexcept nogil:
    """Bytes of the code point at `at`; an invalid byte counts as one byte and U+0000."""
    cdef unsigned char lead = text[at]
    cdef Py_ssize_t left = size - at
    if lead < 0x80:
        point[0] = lead
        return 1
    if 0xC2 <= lead < 0xE0 and left >= 2 and text[at + 1] & 0xC0 == 0x80:
        point[0] = (lead & 0x1F) << 6 | (text[at + 1] & 0x3F)
        return 2
    if (0xE0 <= lead < 0xF0 and left >= 3 and text[at + 1] & 0xC0 == 0x80 and text[at + 2] & 0xC0 == 0x80
            and (lead != 0xE0 or text[at + 1] >= 0xA0) and (lead != 0xED or text[at + 1] < 0xA0)):
        point[0] = (<uint32_t>(lead & 0x0F)) << 12 | (<uint32_t>(text[at + 1] & 0x3F)) << 6 | (text[at + 2] & 0x3F)
        return 3
    if (0xF0 <= lead < 0xF5 and left >= 4 and text[at + 1] & 0xC0 == 0x80 and text[at + 2] & 0xC0 == 0x80
            and text[at + 3] & 0xC0 == 0x80 and (lead != 0xF0 or text[at + 1] >= 0x90)
            and (lead != 0xF4 or text[at + 1] < 0x90)):
        point[0] = ((<uint32_t>(lead & 0x07)) << 18 | (<uint32_t>(text[at + 1] & 0x3F)) << 12
                    | (<uint32_t>(text[at + 2] & 0x3F)) << 6 | (text[at + 3] & 0x3F))
        return 4
    point[0] = 0
    return 1


cdef inline Py_ssize_t peek(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, uint32_t* point) noexcept nogil:
    """decode(), without a call for ASCII."""
    if text[at] < 0x80:
        point[0] = text[at]
        return 1
    return decode(text, size, at, point)


cdef inline int to_points(const unsigned char* text, Py_ssize_t size, uint32_t* points) noexcept nogil:
    """Decode a whole text, into room for `size` code points; how many it has."""
    cdef Py_ssize_t at = 0
    cdef int count = 0
    while at < size:
        at += decode(text, size, at, points + count)
        count += 1
    return count


cdef inline Py_ssize_t points_of(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """How many code points to_points() finds in a text."""
    cdef unsigned char seen = 0
    cdef uint32_t point
    cdef Py_ssize_t at = 0, count = 0
    while at < size:
        seen |= text[at]
        at += 1
    if seen < 0x80:
        return size
    at = 0
    while at < size:
        at += decode(text, size, at, &point)
        count += 1
    return count


cdef inline int encode(uint32_t point, unsigned char* to) noexcept nogil:
    """Write one code point as UTF-8; bytes written, 4 at most."""
    if point < 0x80:
        to[0] = point
        return 1
    if point < 0x800:
        to[0] = 0xC0 | point >> 6
        to[1] = 0x80 | (point & 0x3F)
        return 2
    if point < 0x10000:
        to[0] = 0xE0 | point >> 12
        to[1] = 0x80 | (point >> 6 & 0x3F)
        to[2] = 0x80 | (point & 0x3F)
        return 3
    to[0] = 0xF0 | point >> 18
    to[1] = 0x80 | (point >> 12 & 0x3F)
    to[2] = 0x80 | (point >> 6 & 0x3F)
    to[3] = 0x80 | (point & 0x3F)
    return 4

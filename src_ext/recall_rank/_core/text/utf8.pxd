"""Decode, count and encode the code points of UTF-8, inline and without Python objects."""

from libc.stdint cimport uint32_t


cdef inline Py_ssize_t decode_multibyte(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                        uint32_t* point) noexcept nogil:
    """Decode the code point at text[at] into point[0]; return its size in bytes, 1 to 4.

    `size` is that of the text in bytes, and above `at`. A byte that begins no valid sequence (overlong forms,
    surrogates and truncated sequences included) has size 1 and the code point 0.
    """
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


cdef inline Py_ssize_t decode_code_point(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                         uint32_t* point) noexcept nogil:
    """Decode the code point at text[at], `at` below `size`, into point[0]; return its size in bytes. Fast for ASCII.

    A byte that begins no valid sequence has size 1 and the code point 0.
    """
    if text[at] < 0x80:
        point[0] = text[at]
        return 1
    return decode_multibyte(text, size, at, point)


cdef inline int decode_code_points(const unsigned char* text, Py_ssize_t size, uint32_t* points) noexcept nogil:
    """Decode a whole text into points[0:count] and return count; `points` has room for `size` code points."""
    cdef Py_ssize_t at = 0
    cdef int count = 0
    while at < size:
        at += decode_multibyte(text, size, at, points + count)
        count += 1
    return count


cdef inline Py_ssize_t count_code_points(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Return the number of code points in text[0:size]; an invalid byte counts as one."""
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
        at += decode_multibyte(text, size, at, &point)
        count += 1
    return count


cdef inline int encode_code_point(uint32_t point, unsigned char* to) noexcept nogil:
    """Write one code point as UTF-8 to `to`, which has room for 4 bytes; return the number of bytes written."""
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

# Characters that a terminal does not show, and colour codes, in text of one, two or four bytes a character.

from libc.stdint cimport uint8_t, uint16_t, uint32_t

ctypedef fused letter:
    uint8_t
    uint16_t
    uint32_t


cdef inline bint is_unseen(uint32_t c) noexcept nogil:
    """Return whether character `c` is one that a terminal does not show, such as a control or format character.

    These are the characters in UNSEEN_RANGES of analysis/unseen_characters.py except tab, line feed and carriage
    return.
    """
    if c < 0xD800:
        if c < 0x200B:
            if c < 0x600:
                return (c < 0xA0 and (c >= 0x7F or c < 0x20) and c != c'\t' and c != c'\n' and c != c'\r') or (
                    c == 0xAD or c == 0x34F)
            return (c <= 0x605 or c == 0x61C or c == 0x6DD or c == 0x70F or 0x890 <= c <= 0x891 or c == 0x8E2
                    or 0x115F <= c <= 0x1160 or 0x17B4 <= c <= 0x17B5 or 0x180B <= c <= 0x180F)
        return c <= 0x200F or 0x2028 <= c <= 0x202E or 0x2060 <= c <= 0x206F or c == 0x3164
    if c < 0x10000:
        return (c <= 0xF8FF or 0xFE00 <= c <= 0xFE0F or c == 0xFEFF or c == 0xFFA0 or 0xFFF0 <= c <= 0xFFFB)
    return (c >= 0xF0000 or 0xE0000 <= c <= 0xE0FFF or c == 0x110BD or c == 0x110CD or 0x13430 <= c <= 0x1343F
            or 0x1BCA0 <= c <= 0x1BCA3 or 0x1D173 <= c <= 0x1D17A)


cdef inline bint colour_at(const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return whether text[at:end] begins with what follows ESC and "[" in a terminal's colour code.

    That is one to 32 digits, ":" or ";", then "m".
    """
    cdef Py_ssize_t begin = at, stop = min(at + 33, end)
    while at < stop and c'0' <= text[at] <= c';':
        at += 1
    return begin < at < stop and text[at] == c'm'

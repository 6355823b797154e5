"""Character tables: the class of a code point, such as letter, digit or separator, and its folded form.

Folded means without accent and case. Both functions are inlined in every kernel that reads text.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from recall_rank._core.text.utf8 cimport encode_code_point

cdef enum:
    SEPARATOR = 0
    LOWER = 1
    UPPER = 2
    DIGIT = 3
    LETTER = 4      # a letter without case
    MARK = 5        # belongs to the letter before it and is left out of the form
    CJK = 6         # of a script written without spaces: every character is a word
    EMOJI = 7
    TABLE = 0x3000  # code points with entries in the tables; those above are classed by ranges

cdef enum:
    EXPANSIONS = 128   # room for folds to several code points
    EXPANDED = 0xE000  # an entry of `folds` from here on is EXPANDED + the number of an expansion
    HEBREW = 51        # U+FB1D..U+FB4F: letters composed with their points

cdef struct CharTables:
    uint8_t classes[TABLE]
    uint16_t folds[TABLE]             # the folded code point, or EXPANDED + number
    uint16_t expanded[EXPANSIONS][3]  # two or three code points; 0 ends two
    uint16_t hebrew[HEBREW]           # U+FB1D + k without its point

cdef const CharTables* char_tables() noexcept nogil


cdef inline int char_class(const CharTables* chars, uint32_t point) noexcept nogil:
    """Return the class of a code point, SEPARATOR to EMOJI: by table below U+3000, by ranges from there on."""
    if point < TABLE:
        return chars.classes[point]
    if point < 0x3040:
        return CJK if 0x3005 <= point <= 0x3007 else SEPARATOR
    if point < 0xA000:
        return SEPARATOR if point == 0x30FB or point == 0x30A0 else CJK
    if 0xAC00 <= point < 0xD7B0 or 0xF900 <= point < 0xFB00:
        return CJK
    if 0xFB00 <= point <= 0xFB06:
        return LOWER
    if 0xFB1D <= point < 0xFB50:
        return MARK if point == 0xFB1E else SEPARATOR if point == 0xFB29 else LETTER
    if 0xFE00 <= point < 0xFE10 or 0xFE20 <= point < 0xFE30:
        return MARK
    if 0xFF10 <= point <= 0xFF19:
        return DIGIT
    if 0xFF21 <= point <= 0xFF3A:
        return UPPER
    if 0xFF41 <= point <= 0xFF5A:
        return LOWER
    if 0xFF66 <= point <= 0xFFDC:
        return CJK
    if 0x1F3FB <= point <= 0x1F3FF:
        return SEPARATOR  # skin tones
    if 0x1F000 <= point < 0x1FB00:
        return EMOJI
    if 0x20000 <= point < 0x40000 or 0x1B000 <= point < 0x1B300:
        return CJK
    if 0xA000 <= point < 0xAC00 or 0xFB50 <= point < 0xFE00 or 0xFE70 <= point < 0xFEFF or 0x10000 <= point < 0x1B000:
        return LETTER
    return SEPARATOR


cdef inline int fold_char(const CharTables* chars, uint32_t point, unsigned char* to, int* points) noexcept nogil:
    """Write the folded form (no accent, no case) of one letter or digit to `to` as UTF-8.

    `to` has room for 16 bytes. Return the number of bytes written, and set points[0] to the number of code points.
    """
    cdef uint32_t folded = point
    cdef int size = 0, k
    points[0] = 1
    if point < 0x80:
        to[0] = point | 0x20 if 0x41 <= point <= 0x5A else point
        return 1
    if point < TABLE:
        folded = chars.folds[point]
        if EXPANDED <= folded < EXPANDED + EXPANSIONS:
            points[0] = 0
            for k in range(3):
                if chars.expanded[folded - EXPANDED][k]:
                    size += encode_code_point(chars.expanded[folded - EXPANDED][k], to + size)
                    points[0] += 1
            return size
    elif 0xFF10 <= point <= 0xFF5A:
        folded = point - 0xFEE0
        if 0x41 <= folded <= 0x5A:
            folded |= 0x20
    elif 0xFB1D <= point < 0xFB50:
        folded = chars.hebrew[point - 0xFB1D]
    elif 0xFB00 <= point <= 0xFB06:  # the Latin ligatures ff, fi, fl, ffi, ffl, long st, st
        to[0] = c's' if point >= 0xFB05 else c'f'
        to[1] = c't' if point >= 0xFB05 else c'i' if point == 0xFB01 else c'l' if point == 0xFB02 else c'f'
        points[0] = 2
        if point == 0xFB03 or point == 0xFB04:
            to[2] = c'i' if point == 0xFB03 else c'l'
            points[0] = 3
        return points[0]
    return encode_code_point(folded, to)

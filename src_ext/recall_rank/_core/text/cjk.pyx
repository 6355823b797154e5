"""Tokens of scripts written without spaces: each character, and each pair of neighbours (bigram).

In Thai, Lao, Myanmar and Khmer a character is what is written around one consonant: the vowel before it, the vowels,
tones and stacked consonants above and below it, and the vowels behind it. It is most of a syllable.
"""

import unicodedata

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from recall_rank._core.text.token_buffer cimport JOINED, WORD, TokenBuffer, append_token, end_form, reserve_token
from recall_rank._core.text.chars cimport CJK, MARK, CharTables, char_class, char_tables
from recall_rank._core.text.utf8 cimport decode_multibyte, encode_code_point, decode_code_point

cdef const CharTables* CHARS = char_tables()

cdef enum:
    CONSONANT = 1           # any letter that is none of the others
    ATTACHED = 2            # a mark: a vowel, tone or medial consonant above, below or around a consonant
    BEFORE = 3              # a vowel written before its consonant
    BEHIND = 4              # a vowel written behind its consonant
    STACKER = 5             # a mark that puts the next consonant below the last one
    FIRST_SYLLABIC = 0x0E00
    END_SYLLABIC = 0x1800
    MAX_SYLLABIC = 8        # code points of a character
    THAI_AM = 0x0E33        # a sign and a vowel in one code point
    LAO_AM = 0x0EB3

cdef uint8_t ROLES[END_SYLLABIC - FIRST_SYLLABIC]  # of the letters of Thai, Lao, Myanmar and Khmer; 0 for others

cdef uint32_t COMPATIBILITY_IDEOGRAPHS[512]  # canonical forms of U+F900..U+FAFF
cdef uint32_t COMPATIBILITY_SUPPLEMENT[544]  # canonical forms of U+2F800..U+2FA1F

# the full-width forms of U+FF66..U+FF9D
cdef uint16_t[56] FULL_WIDTH_KANA = [
    0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6,
    0x30A8, 0x30AA, 0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1,
    0x30C4, 0x30C6, 0x30C8, 0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE,
    0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6, 0x30E8, 0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3,
]


cdef void load_ideographs():
    """Fill the tables of compatibility ideographs from Unicode's canonical decompositions."""
    cdef int point
    for point in range(512):
        COMPATIBILITY_IDEOGRAPHS[point] = ord(unicodedata.normalize("NFC", chr(0xF900 + point))[0])
    for point in range(544):
        COMPATIBILITY_SUPPLEMENT[point] = ord(unicodedata.normalize("NFC", chr(0x2F800 + point))[0])


load_ideographs()


cdef void load_roles():
    """Fill ROLES from Unicode's categories; the vowels before and behind, which are letters there, are named."""
    cdef int point
    for first, last in ((0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800)):
        for point in range(first, last):
            category = unicodedata.category(chr(point))[0]
            if category == "M":
                ROLES[point - FIRST_SYLLABIC] = ATTACHED
            elif category == "L":
                ROLES[point - FIRST_SYLLABIC] = CONSONANT
    for point in (0x0E40, 0x0E41, 0x0E42, 0x0E43, 0x0E44, 0x0EC0, 0x0EC1, 0x0EC2, 0x0EC3, 0x0EC4):
        ROLES[point - FIRST_SYLLABIC] = BEFORE
    for point in (0x0E30, 0x0E32, THAI_AM, 0x0E45, 0x0EB0, 0x0EB2, LAO_AM):
        ROLES[point - FIRST_SYLLABIC] = BEHIND
    ROLES[0x1039 - FIRST_SYLLABIC] = STACKER
    ROLES[0x17D2 - FIRST_SYLLABIC] = STACKER


load_roles()


cdef inline int role_of(uint32_t point) noexcept nogil:
    """Return the role of a code point in Thai, Lao, Myanmar or Khmer, CONSONANT to STACKER; 0 in other scripts."""
    return ROLES[point - FIRST_SYLLABIC] if FIRST_SYLLABIC <= point < END_SYLLABIC else 0


cdef Py_ssize_t read_syllabic(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, uint32_t point,
                              uint32_t* points, int* count) noexcept nogil:
    """Read the character at text[at] that begins with `point`, a code point with a role; return its bytes.

    Its code points are written to `points`, which has room for MAX_SYLLABIC + 1, and their number to count[0]. The
    vowel am of Thai and Lao is written as its sign and its vowel. Marks that forms leave out are skipped.
    """
    cdef Py_ssize_t end = at, width
    cdef int role = role_of(point), before = 0
    cdef bint based = False
    count[0] = 0
    while True:
        if point == THAI_AM or point == LAO_AM:
            points[count[0]] = 0x0E4D if point == THAI_AM else 0x0ECD
            count[0] += 1
            point -= 1
        points[count[0]] = point
        count[0] += 1
        based = based or role == CONSONANT
        before = role
        end += decode_code_point(text, size, end, &point)
        while end < size:
            width = decode_code_point(text, size, end, &point)
            if char_class(CHARS, point) != MARK:
                break
            end += width
        if end >= size or count[0] >= MAX_SYLLABIC:
            break
        role = role_of(point)
        if role == 0 or role == BEFORE or (role == BEHIND and not based) or (
                role == CONSONANT and before != STACKER and before != BEFORE):
            break
    return end - at


cdef uint32_t compose_kana(uint32_t point, uint32_t voice) noexcept nogil:
    """Return the code point of the kana `point` with the voice mark `voice`; 0 if there is no such character.

    A voice mark is U+3099 or U+309A, or U+FF9E or U+FF9F, their half-width forms.
    """
    cdef uint32_t base = point - 0x60 if 0x30A0 <= point <= 0x30FF else point
    if voice == 0x309A or voice == 0xFF9F:
        if 0x306F <= base <= 0x307B and (base - 0x306F) % 3 == 0:
            return point + 2
        return 0
    if base == 0x3046:
        return point + 0x4E
    if base == 0x309D or 0x30EF <= point <= 0x30F2:
        return point + (1 if base == 0x309D else 8)
    if 0x304B <= base <= 0x3061 and (base - 0x304B) % 2 == 0:
        return point + 1
    if 0x3064 <= base <= 0x3068 and (base - 0x3064) % 2 == 0:
        return point + 1
    if 0x306F <= base <= 0x307B and (base - 0x306F) % 3 == 0:
        return point + 1
    return 0


cdef Py_ssize_t read_cjk_code_point(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                    uint32_t* point) noexcept nogil:
    """Decode the character at text[at], its marks included, into point[0]; return the number of bytes read.

    The character is composed: half-width kana become full-width ones, a kana and its voice mark become one code point,
    conjoining jamo a Hangul syllable (Unicode section 3.12), and compatibility ideographs unified ones.
    """
    cdef Py_ssize_t width = decode_multibyte(text, size, at, point), step
    cdef uint32_t other, composed
    if 0xF900 <= point[0] < 0xFB00:
        point[0] = COMPATIBILITY_IDEOGRAPHS[point[0] - 0xF900]
    elif 0x2F800 <= point[0] < 0x2FA20:
        point[0] = COMPATIBILITY_SUPPLEMENT[point[0] - 0x2F800]
    elif 0xFF66 <= point[0] <= 0xFF9D:
        point[0] = FULL_WIDTH_KANA[point[0] - 0xFF66]
    if 0x3040 <= point[0] < 0x3100 and at + width < size:
        step = decode_code_point(text, size, at + width, &other)
        if other == 0x3099 or other == 0x309A or other == 0xFF9E or other == 0xFF9F:
            composed = compose_kana(point[0], other)
            if composed:
                point[0] = composed
                width += step
    elif 0x1100 <= point[0] < 0x1113 and at + width < size:
        step = decode_code_point(text, size, at + width, &other)
        if 0x1161 <= other < 0x1176:
            point[0] = 0xAC00 + ((point[0] - 0x1100) * 21 + other - 0x1161) * 28
            width += step
    if 0xAC00 <= point[0] < 0xD7A4 and (point[0] - 0xAC00) % 28 == 0 and at + width < size:
        step = decode_code_point(text, size, at + width, &other)
        if 0x11A8 <= other < 0x11C3:
            point[0] += other - 0x11A7
            width += step
    return width


cdef Py_ssize_t read_cjk(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, TokenBuffer* out) noexcept nogil:
    """Append a token for each character of the CJK run at text[at], and one for each pair of neighbours in it.

    A run consists of characters of scripts written without spaces, and marks. Return the offset behind the run, or that
    of the first character not read if memory ran out, which sets out.failed.
    """
    cdef uint32_t points[2][MAX_SYLLABIC + 1]  # of the last two characters
    cdef int[2] counts
    cdef int this = 0, used, k
    cdef Py_ssize_t width, form, before = -1
    while at < size:
        width = decode_code_point(text, size, at, &points[this][0])
        if char_class(CHARS, points[this][0]) == MARK:
            at += width
            continue
        if char_class(CHARS, points[this][0]) != CJK or not reserve_token(out):
            break
        if role_of(points[this][0]):
            width = read_syllabic(text, size, at, points[this][0], points[this], &counts[this])
        else:
            width = read_cjk_code_point(text, size, at, &points[this][0])
            counts[this] = 1
        form = out.forms_size
        used = 0
        for k in range(counts[this]):
            used += encode_code_point(points[this][k], out.forms + form + used)
        end_form(out, form + used)
        append_token(out, at, at + width, form, used, counts[this], WORD, out.words, 1, True)
        out.words += 1
        if before >= 0:
            if not reserve_token(out):
                break
            form = out.forms_size
            used = 0
            for k in range(counts[1 - this]):
                used += encode_code_point(points[1 - this][k], out.forms + form + used)
            for k in range(counts[this]):
                used += encode_code_point(points[this][k], out.forms + form + used)
            end_form(out, form + used)
            append_token(out, before, at + width, form, used, counts[0] + counts[1], JOINED, out.words - 2, 2, True)
        this = 1 - this
        before = at
        at += width
    return at

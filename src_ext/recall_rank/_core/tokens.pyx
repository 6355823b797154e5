"""Cut UTF-8 text into normalised words, the joined forms of compounds, and CJK unigrams and bigrams.

One pass, no Python object below the edge. Every rule works on code points, ASCII or not; offsets are
always those of the text given. Bytes that are not UTF-8 separate words.
"""

import unicodedata

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

cdef enum:
    SEPARATOR = 0
    LOWER = 1
    UPPER = 2
    DIGIT = 3
    LETTER = 4      # a letter without case
    MARK = 5        # belongs to the letter before it and leaves no trace
    CJK = 6
    EMOJI = 7
    TABLE = 0x3000
    MAX_PIECES = 32
    MAX_CUT = 32    # bytes of a form that is cut between letters and digits
    SHORTEST_RUN = 3  # letters that are a word of their own beside digits
    EXPANSIONS = 128

cdef enum:
    FIRST = 0
    TIGHT = 1       # same identifier: case change, underscore, hyphen, digits
    DOTTED = 2

cdef uint8_t CLASS[TABLE]
cdef uint16_t FOLD[TABLE]
cdef uint16_t EXPANDED[EXPANSIONS][3]
cdef uint32_t UNIFIED[512]   # U+F900..U+FAFF as Unicode's canonical form has them
cdef uint32_t UNIFIED_TOO[544]  # U+2F800..U+2FA1F likewise
cdef uint16_t HEBREW[51]  # U+FB1D..U+FB4F without their points


cdef bint is_mark(str char):
    """Whether a sign leaves no trace. The signs of Indic scripts are letters of their words, but for nukta and accents;
    those that stay keep their order in every normal form."""
    if unicodedata.category(char) not in ("Mn", "Me"):
        return False
    return not (0x0900 <= ord(char) < 0x0E00 and unicodedata.combining(char) in (0, 9, 84, 91))


cdef str folded_form(str char):
    """Without marks, then without case; the same for composed and decomposed text."""
    for _ in range(2):
        char = "".join([c for c in unicodedata.normalize("NFKD", char) if not is_mark(c)]).casefold()
    return "".join([c for c in char if unicodedata.category(c)[0] in "LMN"])


cdef void load_tables():
    """Fill the tables below U+3000 from the Unicode database: class, case and accent fold."""
    cdef int point, used = 0, k
    for point in range(TABLE):
        char = chr(point)
        category = unicodedata.category(char)
        CLASS[point] = SEPARATOR
        FOLD[point] = point
        if 0x0E00 <= point < 0x0F00 or 0x1000 <= point < 0x10A0 or 0x1780 <= point < 0x1800:
            # Thai, Lao, Myanmar, Khmer: no spaces between words, and vowel signs matter
            if category[0] in "LM":
                CLASS[point] = CJK
            elif category == "Nd":
                CLASS[point] = DIGIT
                FOLD[point] = 48 + unicodedata.digit(char)
            continue
        if 0x1100 <= point < 0x1200:
            CLASS[point] = CJK  # conjoining jamo, composed while reading
            continue
        if category == "Nd":
            CLASS[point] = DIGIT
            FOLD[point] = 48 + unicodedata.digit(char)
        elif is_mark(char) or point == 0x0640:  # Arabic tatweel only stretches a word
            CLASS[point] = MARK
        elif category[0] in "LM":
            CLASS[point] = UPPER if category in ("Lu", "Lt") else LOWER if category == "Ll" else LETTER
            folded = folded_form(char)
            if 0 < len(folded) <= 3 and all(ord(c) < TABLE for c in folded):
                if len(folded) == 1:
                    FOLD[point] = ord(folded)
                elif used < EXPANSIONS:
                    FOLD[point] = 0xE000 + used
                    for k in range(3):
                        EXPANDED[used][k] = ord(folded[k]) if k < len(folded) else 0
                    used += 1
        elif category == "No" or category == "Nl":
            folded = unicodedata.normalize("NFKC", char)
            if len(folded) == 1 and folded.isdigit() and ord(folded) < TABLE:
                CLASS[point] = DIGIT
                FOLD[point] = ord(folded)
        elif category == "So" and point >= 0x2600:
            CLASS[point] = EMOJI
    CLASS[0x200D] = MARK
    CLASS[0x200C] = MARK
    CLASS[0x00AD] = MARK
    for point in range(512):
        UNIFIED[point] = ord(unicodedata.normalize("NFC", chr(0xF900 + point))[0])
    for point in range(544):
        UNIFIED_TOO[point] = ord(unicodedata.normalize("NFC", chr(0x2F800 + point))[0])
    for point in range(51):
        folded = folded_form(chr(0xFB1D + point))
        HEBREW[point] = ord(folded) if len(folded) == 1 else 0xFB1D + point


load_tables()


cdef inline int class_of(uint32_t point) noexcept nogil:
    if point < TABLE:
        return CLASS[point]
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


cdef inline Py_ssize_t peek(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, uint32_t* point) noexcept nogil:
    """decode(), without a call for ASCII."""
    if text[at] < 0x80:
        point[0] = text[at]
        return 1
    return decode(text, size, at, point)


cdef Py_ssize_t decode(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, uint32_t* point) noexcept nogil:
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


cdef uint64_t form_hash(const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Hash of a form that is zero-padded to a multiple of 8 bytes."""
    cdef uint64_t value = 0x9E3779B97F4A7C15ULL ^ <uint64_t>size, word
    cdef Py_ssize_t at = 0
    while at < size:
        memcpy(&word, form + at, 8)
        value = (value ^ word) * 0xFF51AFD7ED558CCDULL
        value ^= value >> 32
        at += 8
    return value


cdef void buffer_init(TokenBuffer* buffer) noexcept nogil:
    memset(buffer, 0, sizeof(TokenBuffer))


cdef void buffer_free(TokenBuffer* buffer) noexcept nogil:
    free(buffer.items)
    free(buffer.forms)
    memset(buffer, 0, sizeof(TokenBuffer))


cdef void buffer_clear(TokenBuffer* buffer) noexcept nogil:
    buffer.count = 0
    buffer.forms_size = 0
    buffer.words = 0
    buffer.failed = 0


cdef bint reserve(TokenBuffer* out) noexcept nogil:
    """Room for one more token and one more form."""
    cdef void* grown
    cdef Py_ssize_t wanted
    if out.count + 1 > out.capacity:
        wanted = out.capacity * 2 if out.capacity else 512
        grown = realloc(out.items, wanted * sizeof(Token))
        if grown == NULL:
            out.failed = 1
            return False
        out.items = <Token*>grown
        out.capacity = wanted
    if out.forms_size + 2 * MAX_TERM > out.forms_capacity:
        wanted = out.forms_capacity * 2 if out.forms_capacity else 8192
        grown = realloc(out.forms, wanted)
        if grown == NULL:
            out.failed = 1
            return False
        out.forms = <unsigned char*>grown
        out.forms_capacity = wanted
    return True


cdef inline int encode(uint32_t point, unsigned char* to) noexcept nogil:
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


cdef inline int fold(uint32_t point, unsigned char* to, int* points) noexcept nogil:
    """Write the folded form of one letter or digit; bytes written, and code points in `points`."""
    cdef uint32_t folded = point
    cdef int size = 0, k
    points[0] = 1
    if point < 0x80:
        to[0] = point | 0x20 if 0x41 <= point <= 0x5A else point
        return 1
    if point < TABLE:
        folded = FOLD[point]
        if 0xE000 <= folded < 0xE000 + EXPANSIONS:
            points[0] = 0
            for k in range(3):
                if EXPANDED[folded - 0xE000][k]:
                    size += encode(EXPANDED[folded - 0xE000][k], to + size)
                    points[0] += 1
            return size
    elif 0xFF10 <= point <= 0xFF5A:
        folded = point - 0xFEE0
        if 0x41 <= folded <= 0x5A:
            folded |= 0x20
    elif 0xFB1D <= point < 0xFB50:
        folded = HEBREW[point - 0xFB1D]
    elif 0xFB00 <= point <= 0xFB06:  # the Latin ligatures ff fi fl ffi ffl st st
        to[0] = c's' if point >= 0xFB05 else c'f'
        to[1] = c't' if point >= 0xFB05 else c'i' if point == 0xFB01 else c'l' if point == 0xFB02 else c'f'
        points[0] = 2
        if point == 0xFB03 or point == 0xFB04:
            to[2] = c'i' if point == 0xFB03 else c'l'
            points[0] = 3
        return points[0]
    return encode(folded, to)


cdef struct Piece:
    uint32_t start
    uint32_t end
    uint32_t form
    uint16_t size
    uint8_t length
    uint8_t link    # how it hangs on the piece before: FIRST, TIGHT or DOTTED
    uint8_t digits  # nothing but digits
    unsigned char mark  # the separator before it, 0 for a change of case


cdef struct Cut:       # where letters turn into digits or back inside a piece
    uint32_t end       # of what is before it, bytes in the text
    uint32_t start     # of what is behind it
    uint16_t size      # of the form before it
    uint8_t length
    uint8_t digits     # what is before it is digits


cdef inline void pad(TokenBuffer* out, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t padded = (end + 7) & ~7
    memset(out.forms + end, 0, padded - end)
    out.forms_size = padded


cdef inline void emit(TokenBuffer* out, uint32_t start, uint32_t end, uint32_t form, int size, int length, int kind,
                      uint32_t position, int span, bint cjk) noexcept nogil:
    """Append a token whose padded form is in place; reserve() was called."""
    cdef Token* token = out.items + out.count
    token.hash = form_hash(out.forms + form, size)
    token.start = start
    token.end = end
    token.form = form
    token.position = position
    token.size = size
    token.length = length
    token.kind = kind
    token.span = span
    token.cjk = cjk
    out.count += 1


cdef void emit_joined(TokenBuffer* out, Piece* pieces, int first, int last, uint32_t position) noexcept nogil:
    """The pieces [first, last) as one word. Numbers keep their separators: 1.2.3 is not 123."""
    cdef int k, size = 0, length = 0
    cdef bint digits = True
    cdef uint32_t form
    if last - first < 2 or last - first > MAX_JOIN or not reserve(out):
        return
    for k in range(first, last):
        digits = digits and pieces[k].digits
    form = out.forms_size
    for k in range(first, last):
        if size + pieces[k].size + (digits and k > first) > MAX_TERM:
            return
        if digits and k > first:
            out.forms[form + size] = pieces[k].mark
            size += 1
            length += 1
        memcpy(out.forms + form + size, out.forms + pieces[k].form, pieces[k].size)
        size += pieces[k].size
        length += pieces[k].length
    pad(out, form + size)
    emit(out, pieces[first].start, pieces[last - 1].end, form, size, length, JOINED, position, last - first, False)


cdef void emit_compound(TokenBuffer* out, Piece* pieces, int count) noexcept nogil:
    """Every piece, every identifier of several pieces, and a dotted name as a whole."""
    cdef uint32_t position = out.words
    cdef int k, first = 0, groups = 0
    for k in range(count):
        if not reserve(out):
            return
        emit(out, pieces[k].start, pieces[k].end, pieces[k].form, pieces[k].size, pieces[k].length, WORD, out.words, 1,
             False)
        out.words += 1
    for k in range(1, count + 1):
        if k == count or pieces[k].link == DOTTED:
            emit_joined(out, pieces, first, k, position + first)
            groups += 1
            first = k
    if groups > 1:
        emit_joined(out, pieces, 0, count, position)


cdef int split_digits(TokenBuffer* out, Piece* pieces, int count, const Cut* cuts, int cut_count) noexcept nogil:
    """Cut error404 into error and 404; leave e0502, v8 and hashes, whose letter runs are short, whole."""
    cdef Piece whole = pieces[count - 1]
    cdef Piece* piece
    cdef int k, size = 0, length = 0
    if cut_count == 0 or whole.size > MAX_CUT or count + cut_count > MAX_PIECES:
        return count
    for k in range(cut_count):
        if not cuts[k].digits and cuts[k].length - length < SHORTEST_RUN:
            return count
        length = cuts[k].length
    if cuts[cut_count - 1].digits and whole.length - length < SHORTEST_RUN:
        return count
    length = 0
    count -= 1
    for k in range(cut_count + 1):
        if not reserve(out):
            return count
        piece = &pieces[count]
        piece[0] = whole
        piece.form = out.forms_size
        piece.size = whole.size - size
        piece.length = whole.length - length
        piece.digits = not cuts[cut_count - 1].digits
        if k < cut_count:
            piece.end = cuts[k].end
            piece.size = cuts[k].size - size
            piece.length = cuts[k].length - length
            piece.digits = cuts[k].digits
        if k:
            piece.start = cuts[k - 1].start
            piece.link = TIGHT
            piece.mark = 0
        memcpy(out.forms + out.forms_size, out.forms + whole.form + size, piece.size)
        pad(out, out.forms_size + piece.size)
        size += piece.size
        length += piece.length
        count += 1
    return count


cdef inline bint word_at(const unsigned char* text, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    cdef uint32_t point
    cdef int kind
    if at >= size:
        return False
    peek(text, size, at, &point)
    kind = class_of(point)
    return LOWER <= kind <= LETTER


cdef inline bint lone_s(const unsigned char* text, Py_ssize_t size, Py_ssize_t at) noexcept nogil:
    """Whether an s at `at` ends the word: the one of URLs and of Ada's."""
    cdef uint32_t point
    if at >= size or text[at] | 0x20 != c's':
        return False
    if at + 1 == size:
        return True
    peek(text, size, at + 1, &point)
    return not LOWER <= class_of(point) <= MARK


cdef Py_ssize_t read_compound(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                              TokenBuffer* out) noexcept nogil:
    """Emit the compound that begins at `at`; the offset behind it."""
    cdef Piece pieces[MAX_PIECES + 1]
    cdef int count = 0, kind, before = SEPARATOR, follow, points, written
    cdef int link = FIRST
    cdef unsigned char mark = 0
    cdef uint32_t point, other = 0
    cdef Py_ssize_t width, step, at_next = 0, form = 0, used = 0, limit = MAX_TERM, run, kept
    cdef unsigned char folded[16]
    cdef Cut cuts[MAX_CUT]
    cdef int cut_count = 0
    cdef Piece* piece = NULL
    while at < size:
        width = peek(text, size, at, &point)
        kind = class_of(point)
        if kind == MARK:
            if piece != NULL:
                piece.end = at + width
            at += width
            continue
        if kind < LOWER or kind > LETTER:
            if (point == c"'" or point == 0x2019) and piece != NULL and word_at(text, size, at + width):
                # rock'n'roll is one word; the s of Ada's is none
                if lone_s(text, size, at + width):
                    at += width + 1
                    break
                at += width
                continue
            if (point == c'_' or point == c'-' or point == c'.') and word_at(text, size, at + 1) and count < MAX_PIECES:
                link = DOTTED if point == c'.' else TIGHT
                mark = point
                before = SEPARATOR
                at += 1
                continue
            break
        if piece != NULL and before != SEPARATOR and kind == UPPER:
            follow = MARK
            step = at + width
            while follow == MARK and step < size:
                at_next = step
                step += peek(text, size, step, &other)
                follow = class_of(other)
            # URLs and IDs: a lone s behind capitals belongs to them
            if follow == LOWER and before == UPPER and other == c's' and lone_s(text, size, at_next):
                follow = SEPARATOR
            if before != UPPER or follow == LOWER:
                link = TIGHT
                mark = 0
                before = SEPARATOR
        if before == SEPARATOR:
            if piece != NULL:
                pad(out, form + used)
                count = split_digits(out, pieces, count, cuts, cut_count)
            if count >= MAX_PIECES or not reserve(out):
                piece = NULL
                break
            piece = &pieces[count]
            count += 1
            piece.start = at
            form = out.forms_size
            used = 0
            piece.form = form
            piece.size = 0
            piece.length = 0
            piece.link = link
            piece.mark = mark
            piece.digits = True
            limit = MAX_TERM
            cut_count = 0
        elif (before == DIGIT) != (kind == DIGIT) and cut_count < MAX_CUT:
            cuts[cut_count].end = piece.end
            cuts[cut_count].start = at
            cuts[cut_count].size = used
            cuts[cut_count].length = piece.length
            cuts[cut_count].digits = before == DIGIT
            cut_count += 1
        if kind != DIGIT:
            piece.digits = False
        before = kind
        if point < 0x80:
            # a run of one class needs no further look at each byte
            run = at + 1
            if kind == LOWER:
                while run < size and 0x61 <= text[run] <= 0x7A:
                    run += 1
            elif kind == DIGIT:
                while run < size and 0x30 <= text[run] <= 0x39:
                    run += 1
            kept = run - at
            if used + kept > limit:
                kept = limit - used
            memcpy(out.forms + form + used, text + at, kept)
            if kind == UPPER and kept:
                out.forms[form + used] |= 0x20
            used += kept
            piece.size = used
            piece.length += kept
            piece.end = run
            at = run
            continue
        written = fold(point, folded, &points)
        if used + written <= limit:
            memcpy(out.forms + form + used, folded, written)
            used += written
            piece.size = used
            piece.length += points
        else:
            limit = used  # cut here: nothing behind may fill the gap
        piece.end = at + width
        at += width
    if piece != NULL:
        pad(out, form + used)
        count = split_digits(out, pieces, count, cuts, cut_count)
    emit_compound(out, pieces, count)
    return at


cdef Py_ssize_t read_special(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, Py_ssize_t start,
                             TokenBuffer* out) noexcept nogil:
    """A word with the punctuation that belongs to it: c++, c#, #4410, 100%; the offset behind."""
    cdef Py_ssize_t begin = start, end = at, form, k
    cdef uint32_t position = out.words - 1
    cdef bint digits = at > start
    cdef bint short
    for k in range(start, at):
        digits = digits and 0x30 <= text[k] <= 0x39
    short = at - start <= 2 and text[start] < 0x80 and text[at - 1] < 0x80
    if at + 1 < size and text[at] == c'+' and text[at + 1] == c'+' and short:
        end = at + 2
    elif at < size and text[at] == c'#' and at - start == 1 and not digits:
        end = at + 1
    elif digits and at < size and text[at] == c'%':
        end = at + 1
    elif digits and start > 0 and text[start - 1] == c'#':
        begin = start - 1
    if end - begin == at - start or end - begin > MAX_TERM or not reserve(out):
        return at
    form = out.forms_size
    for k in range(begin, end):
        out.forms[form + k - begin] = text[k] | 0x20 if 0x41 <= text[k] <= 0x5A else text[k]
    pad(out, form + end - begin)
    emit(out, begin, end, form, end - begin, end - begin, SPECIAL, position, 1, False)
    return end if end > at else at


cdef uint32_t compose_kana(uint32_t point, uint32_t voice) noexcept nogil:
    """A kana with its voice mark as one code point; 0 where there is none."""
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


# U+FF66..U+FF9D in the order of their full-width forms
cdef uint16_t[56] KANA = [
    0x30F2, 0x30A1, 0x30A3, 0x30A5, 0x30A7, 0x30A9, 0x30E3, 0x30E5, 0x30E7, 0x30C3, 0x30FC, 0x30A2, 0x30A4, 0x30A6,
    0x30A8, 0x30AA, 0x30AB, 0x30AD, 0x30AF, 0x30B1, 0x30B3, 0x30B5, 0x30B7, 0x30B9, 0x30BB, 0x30BD, 0x30BF, 0x30C1,
    0x30C4, 0x30C6, 0x30C8, 0x30CA, 0x30CB, 0x30CC, 0x30CD, 0x30CE, 0x30CF, 0x30D2, 0x30D5, 0x30D8, 0x30DB, 0x30DE,
    0x30DF, 0x30E0, 0x30E1, 0x30E2, 0x30E4, 0x30E6, 0x30E8, 0x30E9, 0x30EA, 0x30EB, 0x30EC, 0x30ED, 0x30EF, 0x30F3,
]


cdef Py_ssize_t read_cjk_point(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                               uint32_t* point) noexcept nogil:
    """Bytes of one character, composed: half-width kana, kana with a voice mark, conjoining jamo."""
    cdef Py_ssize_t width = decode(text, size, at, point), step
    cdef uint32_t other, composed
    if 0xF900 <= point[0] < 0xFB00:
        point[0] = UNIFIED[point[0] - 0xF900]
    elif 0x2F800 <= point[0] < 0x2FA20:
        point[0] = UNIFIED_TOO[point[0] - 0x2F800]
    elif 0xFF66 <= point[0] <= 0xFF9D:
        point[0] = KANA[point[0] - 0xFF66]
    if 0x3040 <= point[0] < 0x3100 and at + width < size:
        step = peek(text, size, at + width, &other)
        if other == 0x3099 or other == 0x309A or other == 0xFF9E or other == 0xFF9F:
            composed = compose_kana(point[0], other)
            if composed:
                point[0] = composed
                width += step
    elif 0x1100 <= point[0] < 0x1113 and at + width < size:
        step = peek(text, size, at + width, &other)
        if 0x1161 <= other < 0x1176:
            point[0] = 0xAC00 + ((point[0] - 0x1100) * 21 + other - 0x1161) * 28
            width += step
    if 0xAC00 <= point[0] < 0xD7A4 and (point[0] - 0xAC00) % 28 == 0 and at + width < size:
        step = peek(text, size, at + width, &other)
        if 0x11A8 <= other < 0x11C3:
            point[0] += other - 0x11A7
            width += step
    return width


cdef Py_ssize_t read_cjk(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, TokenBuffer* out) noexcept nogil:
    """Emit each character of the run at `at` and each pair of neighbours; the offset behind the run."""
    cdef uint32_t point, previous = 0, before = 0
    cdef Py_ssize_t width, form
    cdef int used
    while at < size:
        width = peek(text, size, at, &point)
        if class_of(point) == MARK:
            at += width
            continue
        if class_of(point) != CJK or not reserve(out):
            break
        width = read_cjk_point(text, size, at, &point)
        form = out.forms_size
        used = encode(point, out.forms + form)
        pad(out, form + used)
        emit(out, at, at + width, form, used, 1, WORD, out.words, 1, True)
        out.words += 1
        if previous:
            if not reserve(out):
                break
            form = out.forms_size
            used = encode(previous, out.forms + form)
            used += encode(point, out.forms + form + used)
            pad(out, form + used)
            emit(out, before, at + width, form, used, 2, JOINED, out.words - 2, 2, True)
        previous = point
        before = at
        at += width
    return at


cdef void tokenise(const unsigned char* text, Py_ssize_t size, TokenBuffer* out) noexcept nogil:
    """Append the tokens of `text` in the order they begin to be read; buffer_clear() first for a new text."""
    cdef Py_ssize_t at = 0, width, start, form
    cdef uint32_t point
    cdef int kind, used
    while at < size and not out.failed:
        width = peek(text, size, at, &point)
        kind = class_of(point)
        if LOWER <= kind <= LETTER:
            start = at
            at = read_compound(text, size, at, out)
            if at < size or (start > 0 and text[start - 1] == c'#'):
                at = read_special(text, size, at, start, out)
        elif kind == CJK:
            at = read_cjk(text, size, at, out)
        elif kind == EMOJI:
            if not reserve(out):
                return
            form = out.forms_size
            used = encode(point, out.forms + form)
            pad(out, form + used)
            emit(out, at, at + width, form, used, 1, WORD, out.words, 1, True)
            out.words += 1
            at += width
        else:
            at += width
            while at < size and text[at] < 0x80 and CLASS[text[at]] == SEPARATOR:
                at += 1


def tokens(bytes text not None):
    """Every token of UTF-8 `text`: (form, kind, start, end, position, span, cjk), offsets in bytes."""
    cdef TokenBuffer buffer
    cdef Py_ssize_t k
    cdef Token* token
    cdef const unsigned char* data = text
    cdef Py_ssize_t size = len(text)
    buffer_init(&buffer)
    try:
        with nogil:
            tokenise(data, size, &buffer)
        if buffer.failed:
            raise MemoryError
        found = []
        for k in range(buffer.count):
            token = buffer.items + k
            found.append((buffer.forms[token.form:token.form + token.size].decode("utf-8", "replace"), token.kind,
                          token.start, token.end, token.position, token.span, bool(token.cjk)))
        return found
    finally:
        buffer_free(&buffer)

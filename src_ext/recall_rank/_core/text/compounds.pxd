"""Compounds such as rate_limit, HTTPServer, v1.2 and error404: their subwords, and the subwords joined to one form.

The rules are those of a word delimiter filter: a subword ends at a separator, at a change from lower case to a capital,
before the last of several capitals that lower case follows, and between digits and longer runs of letters. The marks
at the edges of a name, as in _x, __init__, --flag, .env, @validate and #define, belong to another form of it.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from recall_rank._core.text.token_buffer cimport (JOINED, MAX_JOIN, MAX_TERM, SPECIAL, WORD, TokenBuffer,
                                                  append_token, end_form, prefix_may_pass, reserve_token,
                                                  shape_may_pass)
from recall_rank._core.text.chars cimport (DIGIT, LETTER, LOWER, MARK, SEPARATOR, UPPER, CharTables, char_class,
                                           fold_char)
from recall_rank._core.text.ascii_words cimport rr_lowercase_end
from recall_rank._core.text.utf8 cimport decode_code_point

cdef enum:
    MAX_SUBWORDS = 32      # of a compound; the next one begins another compound
    MAX_SPLIT_BYTES = 32   # of a form that is split between letters and digits
    MIN_SPLIT_LETTERS = 3  # letters of a run that is a word of its own beside digits
    MAX_EDGE = 2           # marks at one edge of a name; a longer row of them is a rule or a blank to be filled in
    MAX_SHORT_FLAG = 4     # bytes of the word behind a single hyphen: -x, -rf, -name; longer ones are mostly items of a
    # list and deleted lines of a diff

cdef enum:
    NO_LINK = 0          # the first subword of a compound
    IDENTIFIER_LINK = 1  # same identifier: change of case, underscore, hyphen, digits
    DOT_LINK = 2         # next identifier of a dotted name

cdef struct Subword:
    uint32_t start      # byte offsets in the text: [start, end)
    uint32_t end
    uint32_t form       # offset in TokenBuffer.forms
    uint16_t size       # bytes of the form
    uint8_t length      # code points of the form
    uint8_t link        # to the subword before: NO_LINK, IDENTIFIER_LINK or DOT_LINK
    uint8_t digits      # 1 where it has digits only
    unsigned char mark  # the separator before it, 0 for a change of case


cdef struct DigitBoundary:  # where letters turn into digits or back inside a subword
    uint32_t end            # byte offset in the text behind the run before it
    uint32_t start          # byte offset in the text of the run behind it
    uint16_t size           # bytes of the form before it
    uint8_t length          # code points of the form before it
    uint8_t digits          # 1 where the run before it is digits


cdef inline void copy_bytes(unsigned char* to, const unsigned char* text, Py_ssize_t count,
                            Py_ssize_t left) noexcept nogil:
    """Copy `count` bytes of a text of which `left` may be read; `to` has room for 8 bytes even if `count` is smaller.
    """
    if count <= 8 and left >= 8:
        memcpy(to, text, 8)
    else:
        memcpy(to, text, count)


cdef inline int joined_size(const Subword* subwords, int first, int last, bint* digits) noexcept nogil:
    """Return the bytes of subwords[first:last] joined to one form; set digits[0] to whether all of them are numbers.

    Numbers keep their separators, of one byte each: 1.2.3 is not 123.
    """
    cdef int k, size = 0
    digits[0] = True
    for k in range(first, last):
        digits[0] = digits[0] and subwords[k].digits
        size += subwords[k].size
    return size + last - first - 1 if digits[0] else size


cdef inline int write_joined(TokenBuffer* out, const Subword* subwords, int first, int last, bint digits,
                             Py_ssize_t at) noexcept nogil:
    """Write subwords[first:last], joined to one form, to forms[at] of `out`; return the number of its code points.

    With `digits`, their separators are written, too. The caller has made room for joined_size() bytes.
    """
    cdef int k, length = 0
    for k in range(first, last):
        if digits and k > first:
            out.forms[at] = subwords[k].mark
            at += 1
            length += 1
        memcpy(out.forms + at, out.forms + subwords[k].form, subwords[k].size)
        at += subwords[k].size
        length += subwords[k].length
    return length


cdef inline void append_joined(TokenBuffer* out, const Subword* subwords, int first, int last,
                               uint32_t position) noexcept nogil:
    """Append subwords[first:last], joined to one form, as a token.

    `position` counts the words of the text before the first subword. Nothing is appended for a single subword, or if
    the filter refuses the form. For more than MAX_JOIN subwords or MAX_TERM bytes, out.partial is set instead.
    """
    cdef int size, length
    cdef bint digits
    cdef uint32_t form
    cdef const unsigned char* begin = out.forms + subwords[first].form
    cdef const Subword* end = subwords + last - 1
    if last - first < 2:
        return
    size = joined_size(subwords, first, last, &digits)
    if last - first > MAX_JOIN or size > MAX_TERM:
        out.partial = 1
        return
    # the filter is asked before the form is written: it refuses most of them
    if subwords[first].size and end.size and not shape_may_pass(
            out, begin[0], out.forms[end.form + end.size - 1], size):
        return
    if subwords[first].size > 1 and not prefix_may_pass(out, begin[0], begin[1]):
        return
    if not reserve_token(out):
        return
    form = out.forms_size
    length = write_joined(out, subwords, first, last, digits, form)
    end_form(out, form + size)
    append_token(out, subwords[first].start, end.end, form, size, length, JOINED, position, last - first, False)


cdef inline void append_marked(TokenBuffer* out, const Subword* subwords, int first, int last, uint32_t position,
                               const unsigned char* text, int lead, int trail) noexcept nogil:
    """Append subwords[first:last], joined, with the `lead` bytes of the text before them and the `trail` behind them.

    `position` counts the words of the text before the first subword. Nothing is appended for more than MAX_JOIN
    subwords or MAX_TERM bytes: a form that is cut would be that of another name.
    """
    cdef int size, length
    cdef bint digits
    cdef uint32_t form
    cdef const Subword* begin = subwords + first
    cdef const Subword* end = subwords + last - 1
    size = lead + joined_size(subwords, first, last, &digits) + trail
    if last - first > MAX_JOIN or size > MAX_TERM or not reserve_token(out):
        return
    form = out.forms_size
    memcpy(out.forms + form, text + begin.start - lead, lead)
    length = write_joined(out, subwords, first, last, digits, form + lead)
    memcpy(out.forms + form + size - trail, text + end.end, trail)
    end_form(out, form + size)
    append_token(out, begin.start - lead, end.end + trail, form, size, lead + length + trail, SPECIAL, position,
                 last - first, False)


cdef inline void append_compound(TokenBuffer* out, const Subword* subwords, int count, const unsigned char* text,
                                 int lead, int trail) noexcept nogil:
    """Append the tokens of a compound of `count` subwords, which are the next words of the text.

    There is one for each subword, one for each identifier of several subwords (joined to one form), and one for a name
    with dots, joined as a whole. `lead` and `trail` are the numbers of marks before and behind the compound: its first
    and its last identifier, joined and with their marks, follow as special forms.
    """
    cdef uint32_t position = out.words
    cdef int k, first = 0, head = count, last = 0
    for k in range(count):
        if not reserve_token(out):
            return
        append_token(out, subwords[k].start, subwords[k].end, subwords[k].form, subwords[k].size, subwords[k].length,
                     WORD, out.words, 1, False)
        out.words += 1
    for k in range(1, count + 1):
        if k == count or subwords[k].link == DOT_LINK:
            append_joined(out, subwords, first, k, position + first)
            head = min(head, k)
            last = first
            first = k
    if head < count:
        append_joined(out, subwords, 0, count, position)
        if lead:
            append_marked(out, subwords, 0, head, position, text, lead, 0)
        if trail:
            append_marked(out, subwords, last, count, position + last, text, 0, trail)
    elif lead or trail:
        append_marked(out, subwords, 0, count, position, text, lead, trail)


cdef inline int split_letters_digits(TokenBuffer* out, Subword* subwords, int count, const DigitBoundary* boundaries,
                                     int boundary_count) noexcept nogil:
    """Split the last of `count` subwords between letters and digits, as error404 into error and 404.

    `boundaries` are the places where letters and digits meet. Return the new number of subwords. Not split are subwords
    in which a run of letters has fewer than MIN_SPLIT_LETTERS, such as e0502, v8 and hashes, and those over a limit of
    length or number.
    """
    cdef Subword whole = subwords[count - 1]
    cdef Subword* subword
    cdef int k, size = 0, length = 0
    if boundary_count == 0 or whole.size > MAX_SPLIT_BYTES or count + boundary_count > MAX_SUBWORDS:
        return count
    for k in range(boundary_count):
        if not boundaries[k].digits and boundaries[k].length - length < MIN_SPLIT_LETTERS:
            return count
        length = boundaries[k].length
    if boundaries[boundary_count - 1].digits and whole.length - length < MIN_SPLIT_LETTERS:
        return count
    length = 0
    count -= 1
    for k in range(boundary_count + 1):
        if not reserve_token(out):
            return count
        subword = &subwords[count]
        subword[0] = whole
        subword.form = out.forms_size
        subword.size = whole.size - size
        subword.length = whole.length - length
        subword.digits = not boundaries[boundary_count - 1].digits
        if k < boundary_count:
            subword.end = boundaries[k].end
            subword.size = boundaries[k].size - size
            subword.length = boundaries[k].length - length
            subword.digits = boundaries[k].digits
        if k:
            subword.start = boundaries[k - 1].start
            subword.link = IDENTIFIER_LINK
            subword.mark = 0
        memcpy(out.forms + out.forms_size, out.forms + whole.form + size, subword.size)
        end_form(out, out.forms_size + subword.size)
        size += subword.size
        length += subword.length
        count += 1
    return count


cdef inline bint is_word_char_at(const CharTables* chars, const unsigned char* text, Py_ssize_t size,
                                 Py_ssize_t at) noexcept nogil:
    """Return whether the character at text[at] is a letter or digit; False for `at` at the end of the text."""
    cdef uint32_t point
    cdef int kind
    if at >= size:
        return False
    decode_code_point(text, size, at, &point)
    kind = char_class(chars, point)
    return LOWER <= kind <= LETTER


cdef inline bint is_final_s(const CharTables* chars, const unsigned char* text, Py_ssize_t size,
                            Py_ssize_t at) noexcept nogil:
    """Return whether text[at] is an s or S at the end of a word, such as the plural s of URLs or the s of Ada's."""
    cdef uint32_t point
    if at >= size or text[at] | 0x20 != c's':
        return False
    if at + 1 == size:
        return True
    decode_code_point(text, size, at + 1, &point)
    return not LOWER <= char_class(chars, point) <= MARK


cdef inline bint is_word_char_before(const CharTables* chars, const unsigned char* text, Py_ssize_t at) noexcept nogil:
    """Return whether a letter, a digit or a mark of one ends at text[at], `at` above 0."""
    cdef Py_ssize_t start = at - 1
    cdef uint32_t point
    while start > 0 and at - start < 4 and text[start] & 0xC0 == 0x80:
        start -= 1
    if decode_code_point(text, at, start, &point) != at - start:
        return False
    return LOWER <= char_class(chars, point) <= MARK


cdef inline int leading_marks(const CharTables* chars, const unsigned char* text, const Subword* subwords,
                              int count) noexcept nogil:
    """Return how many bytes before a compound of `count` subwords are marks of it: _x, --flag, -x, .env, @type, #if.

    `count` is above 0, and one of these marks is before the compound.
    Underscores belong to a name wherever no letter or digit is before them. The other marks belong to a word that
    begins with a letter, and only where a name may begin: at the start of the text or behind a blank, a quote, an
    opening bracket, one of "=/|", or a character that is not ASCII and no letter. A single hyphen is also a minus sign
    and a dash: only a short word without further hyphens is a flag with it, and not behind a bracket or one of "=/|".
    """
    cdef Py_ssize_t start = subwords[0].start, at = start
    cdef unsigned char before
    cdef uint32_t point
    while at > 0 and start - at <= MAX_EDGE and text[at - 1] == c'_':
        at -= 1
    if at < start:
        return 0 if start - at > MAX_EDGE or (at > 0 and is_word_char_before(chars, text, at)) else start - at
    at -= 2 if at > 1 and text[at - 1] == c'-' and text[at - 2] == c'-' else 1
    before = text[at - 1] if at > 0 else c' '
    if before >= 0x80:
        if is_word_char_before(chars, text, at):
            return 0
    elif before > c' ' and before not in b"\"'`([{<=/|":
        return 0
    if start - at == 1 and text[at] == c'-' and (
            subwords[0].size > MAX_SHORT_FLAG or (count > 1 and subwords[1].link == IDENTIFIER_LINK)
            or before in b"([{<=/|"):
        return 0
    decode_code_point(text, subwords[0].end, start, &point)
    return 0 if char_class(chars, point) == DIGIT else start - at


cdef inline int trailing_marks(const CharTables* chars, const unsigned char* text, Py_ssize_t size,
                               Py_ssize_t end) noexcept nogil:
    """Return how many underscores end a name that reaches to text[end]: 0 if there are more than MAX_EDGE, or if a
    letter or digit follows them.
    """
    cdef Py_ssize_t at = end
    while at < size and at - end <= MAX_EDGE and text[at] == c'_':
        at += 1
    return 0 if at - end > MAX_EDGE or is_word_char_at(chars, text, size, at) else at - end


cdef inline Py_ssize_t read_compound(const CharTables* chars, const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                     TokenBuffer* out) noexcept nogil:
    """Append the tokens of the word or compound that begins at text[at], and return the offset behind it."""
    cdef Subword subwords[MAX_SUBWORDS + 1]
    cdef int count = 0, kind, before = SEPARATOR, follow, points, written
    cdef int link = NO_LINK
    cdef unsigned char mark = 0
    cdef uint32_t point, other = 0
    cdef Py_ssize_t width, step, at_next = 0, form = 0, used = 0, limit = MAX_TERM, run, kept, k
    cdef unsigned char folded[16]
    cdef DigitBoundary boundaries[MAX_SPLIT_BYTES]
    cdef int boundary_count = 0, lead = 0, trail = 0
    cdef Py_ssize_t start = at
    cdef Subword* subword = NULL
    while at < size:
        width = decode_code_point(text, size, at, &point)
        kind = char_class(chars, point)
        if kind == MARK:
            if subword != NULL:
                subword.end = at + width
            at += width
            continue
        if kind < LOWER or kind > LETTER:
            if (point == c"'" or point == 0x2019) and subword != NULL and is_word_char_at(
                    chars, text, size, at + width):
                # rock'n'roll is one word; the s of Ada's is left out
                if is_final_s(chars, text, size, at + width):
                    at += width + 1
                    break
                at += width
                continue
            if (point == c'_' or point == c'-' or point == c'.') and count < MAX_SUBWORDS and is_word_char_at(
                    chars, text, size, at + 1):
                link = DOT_LINK if point == c'.' else IDENTIFIER_LINK
                mark = point
                before = SEPARATOR
                at += 1
                continue
            break
        if subword != NULL and before != SEPARATOR and kind == UPPER:
            follow = MARK
            step = at + width
            while follow == MARK and step < size:
                at_next = step
                step += decode_code_point(text, size, step, &other)
                follow = char_class(chars, other)
            # URLs and IDs: a final s behind capitals belongs to them
            if follow == LOWER and before == UPPER and other == c's' and is_final_s(chars, text, size, at_next):
                follow = SEPARATOR
            if before != UPPER or follow == LOWER:
                link = IDENTIFIER_LINK
                mark = 0
                before = SEPARATOR
        if before == SEPARATOR:
            if subword != NULL:
                end_form(out, form + used)
                count = split_letters_digits(out, subwords, count, boundaries, boundary_count)
            if count >= MAX_SUBWORDS or not reserve_token(out):
                out.partial = 1
                subword = NULL
                break
            subword = &subwords[count]
            count += 1
            subword.start = at
            form = out.forms_size
            used = 0
            subword.form = form
            subword.size = 0
            subword.length = 0
            subword.link = link
            subword.mark = mark
            subword.digits = True
            limit = MAX_TERM
            boundary_count = 0
        elif (before == DIGIT) != (kind == DIGIT) and boundary_count < MAX_SPLIT_BYTES:
            boundaries[boundary_count].end = subword.end
            boundaries[boundary_count].start = at
            boundaries[boundary_count].size = used
            boundaries[boundary_count].length = subword.length
            boundaries[boundary_count].digits = before == DIGIT
            boundary_count += 1
        if kind != DIGIT:
            subword.digits = False
        before = kind
        if point < 0x80:
            # a run of ASCII letters or digits is copied at once
            run = at + 1
            if kind == LOWER:
                run = rr_lowercase_end(text, run, size)
            elif kind == UPPER:  # all but the last, which may begin the next subword
                while run + 1 < size and 0x41 <= text[run] <= 0x5A and 0x41 <= text[run + 1] <= 0x5A:
                    run += 1
            elif kind == DIGIT:
                while run < size and 0x30 <= text[run] <= 0x39:
                    run += 1
            kept = run - at
            if used + kept > limit:
                out.partial = 1
                kept = limit - used
            copy_bytes(out.forms + form + used, text + at, kept, size - at)
            if kind == UPPER:
                for k in range(kept):
                    out.forms[form + used + k] |= 0x20
            used += kept
            subword.size = used
            subword.length += kept
            subword.end = run
            at = run
            continue
        written = fold_char(chars, point, folded, &points)
        if used + written <= limit:
            memcpy(out.forms + form + used, folded, written)
            used += written
            subword.size = used
            subword.length += points
        else:
            limit = used  # the form is cut here: a shorter character behind must not be appended
        subword.end = at + width
        at += width
    if subword != NULL:
        end_form(out, form + used)
        count = split_letters_digits(out, subwords, count, boundaries, boundary_count)
    if count == 0:  # memory ran out
        return at
    if start > 0 and text[start - 1] in b"_-.@#":
        lead = leading_marks(chars, text, subwords, count)
    if subwords[count - 1].end < size and text[subwords[count - 1].end] == c'_':
        trail = trailing_marks(chars, text, size, subwords[count - 1].end)
    append_compound(out, subwords, count, text, lead, trail)
    return at

"""Words of several pieces, such as rate_limit, HTTPServer, v1.2 and error404: the pieces, and their joined forms.

Inline in tokens.pyx, which reads what begins with a letter or a digit by it.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from recall_rank._core.text.token_buffer cimport (JOINED, MAX_JOIN, MAX_TERM, WORD, TokenBuffer, emit, may_be_wanted, may_begin,
                                       pad, reserve)
from recall_rank._core.text.chars cimport DIGIT, LETTER, LOWER, MARK, SEPARATOR, UPPER, Chars, class_of, fold
from recall_rank._core.text.ascii_words cimport rr_lowercase_end
from recall_rank._core.text.utf8 cimport peek

cdef enum:
    MAX_PIECES = 32
    MAX_CUT = 32      # bytes of a form that is cut between letters and digits
    SHORTEST_RUN = 3  # letters that are a word of their own beside digits

cdef enum:
    FIRST = 0
    TIGHT = 1       # same identifier: case change, underscore, hyphen, digits
    DOTTED = 2

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


cdef inline void copy_run(unsigned char* to, const unsigned char* text, Py_ssize_t count,
                          Py_ssize_t left) noexcept nogil:
    """Copy `count` bytes of the `left` that can be read; where they are few, what follows is copied, too."""
    if count <= 8 and left >= 8:
        memcpy(to, text, 8)
    else:
        memcpy(to, text, count)


cdef inline void emit_joined(TokenBuffer* out, Piece* pieces, int first, int last, uint32_t position) noexcept nogil:
    """The pieces [first, last) as one word. Numbers keep their separators: 1.2.3 is not 123."""
    cdef int k, size = 0, length = 0
    cdef bint digits = True
    cdef uint32_t form
    cdef const unsigned char* begin = out.forms + pieces[first].form
    cdef const Piece* end = pieces + last - 1
    if last - first < 2:
        return
    for k in range(first, last):
        digits = digits and pieces[k].digits
        size += pieces[k].size
    if digits:
        size += last - first - 1
    if last - first > MAX_JOIN or size > MAX_TERM:
        out.partial = 1
        return
    # most are none that a query has: they need not be written
    if pieces[first].size and end.size and not may_be_wanted(
            out, begin[0], out.forms[end.form + end.size - 1], size):
        return
    if pieces[first].size > 1 and not may_begin(out, begin[0], begin[1]):
        return
    if not reserve(out):
        return
    form = out.forms_size
    size = 0
    for k in range(first, last):
        if digits and k > first:
            out.forms[form + size] = pieces[k].mark
            size += 1
            length += 1
        memcpy(out.forms + form + size, out.forms + pieces[k].form, pieces[k].size)
        size += pieces[k].size
        length += pieces[k].length
    pad(out, form + size)
    emit(out, pieces[first].start, pieces[last - 1].end, form, size, length, JOINED, position, last - first, False)


cdef inline void emit_compound(TokenBuffer* out, Piece* pieces, int count) noexcept nogil:
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


cdef inline int split_digits(TokenBuffer* out, Piece* pieces, int count, const Cut* cuts,
                             int cut_count) noexcept nogil:
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


cdef inline bint word_at(const Chars* chars, const unsigned char* text, Py_ssize_t size,
                         Py_ssize_t at) noexcept nogil:
    cdef uint32_t point
    cdef int kind
    if at >= size:
        return False
    peek(text, size, at, &point)
    kind = class_of(chars, point)
    return LOWER <= kind <= LETTER


cdef inline bint lone_s(const Chars* chars, const unsigned char* text, Py_ssize_t size,
                        Py_ssize_t at) noexcept nogil:
    """Whether an s at `at` ends the word: the one of URLs and of Ada's."""
    cdef uint32_t point
    if at >= size or text[at] | 0x20 != c's':
        return False
    if at + 1 == size:
        return True
    peek(text, size, at + 1, &point)
    return not LOWER <= class_of(chars, point) <= MARK


cdef inline Py_ssize_t read_compound(const Chars* chars, const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                     TokenBuffer* out) noexcept nogil:
    """Emit the compound that begins at `at`; the offset behind it."""
    cdef Piece pieces[MAX_PIECES + 1]
    cdef int count = 0, kind, before = SEPARATOR, follow, points, written
    cdef int link = FIRST
    cdef unsigned char mark = 0
    cdef uint32_t point, other = 0
    cdef Py_ssize_t width, step, at_next = 0, form = 0, used = 0, limit = MAX_TERM, run, kept, k
    cdef unsigned char folded[16]
    cdef Cut cuts[MAX_CUT]
    cdef int cut_count = 0
    cdef Piece* piece = NULL
    while at < size:
        width = peek(text, size, at, &point)
        kind = class_of(chars, point)
        if kind == MARK:
            if piece != NULL:
                piece.end = at + width
            at += width
            continue
        if kind < LOWER or kind > LETTER:
            if (point == c"'" or point == 0x2019) and piece != NULL and word_at(chars, text, size, at + width):
                # rock'n'roll is one word; the s of Ada's is none
                if lone_s(chars, text, size, at + width):
                    at += width + 1
                    break
                at += width
                continue
            if (point == c'_' or point == c'-' or point == c'.') and count < MAX_PIECES and word_at(
                    chars, text, size, at + 1):
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
                follow = class_of(chars, other)
            # URLs and IDs: a lone s behind capitals belongs to them
            if follow == LOWER and before == UPPER and other == c's' and lone_s(chars, text, size, at_next):
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
                out.partial = 1
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
                run = rr_lowercase_end(text, run, size)
            elif kind == UPPER:  # all but the last, which the next piece may begin with
                while run + 1 < size and 0x41 <= text[run] <= 0x5A and 0x41 <= text[run + 1] <= 0x5A:
                    run += 1
            elif kind == DIGIT:
                while run < size and 0x30 <= text[run] <= 0x39:
                    run += 1
            kept = run - at
            if used + kept > limit:
                out.partial = 1
                kept = limit - used
            copy_run(out.forms + form + used, text + at, kept, size - at)
            if kind == UPPER:
                for k in range(kept):
                    out.forms[form + used + k] |= 0x20
            used += kept
            piece.size = used
            piece.length += kept
            piece.end = run
            at = run
            continue
        written = fold(chars, point, folded, &points)
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

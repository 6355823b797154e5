"""The tokeniser: makes tokens of the words of a UTF-8 text, of compounds joined, and of CJK characters and pairs.

One pass without Python objects. Rules work on code points, offsets are byte offsets in the text. Bytes that are not
UTF-8 separate words. Tokens that TokenBuffer.term_filter refuses are left out, but their positions are counted.
"""

from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.text.token_buffer cimport (MAX_TERM, SPECIAL, WORD, Token, TokenBuffer, append_token,
                                                  buffer_free, buffer_init, end_form, form_may_pass, reserve_token)
from recall_rank._core.text.chars cimport (CJK, DIGIT, EMOJI, LETTER, LOWER, SEPARATOR, CharTables, char_class,
                                           char_tables)
from recall_rank._core.text.cjk cimport read_cjk
from recall_rank._core.text.compounds cimport read_compound
from recall_rank._core.text.ascii_words cimport rr_lowercase_end, rr_copy_lowercase
from recall_rank._core.text.utf8 cimport encode_code_point, decode_code_point

cdef enum:
    COMPOUND_SEPARATOR = 1  # an ASCII separator on which a rule of compounds or special words depends
    LEADING_MARK = 2        # one of them that may begin the form of the word behind it
    WORD_SEPARATOR = 3      # any other ASCII separator
    ASCII_LETTER = 4

cdef const CharTables* CHARS = char_tables()
cdef uint8_t[256] ASCII_ROLES  # of a byte beside and in ASCII words; 0 for digits and bytes that are not ASCII


cdef void load_roles():
    """Fill ASCII_ROLES, the role of each ASCII character in read_ascii_word(), from the character tables."""
    cdef int k
    for k in range(0x80):
        if CHARS.classes[k] == SEPARATOR:
            ASCII_ROLES[k] = LEADING_MARK if k in b"_-.@#" else COMPOUND_SEPARATOR if k in b"'+%" else WORD_SEPARATOR
        elif CHARS.classes[k] != DIGIT:
            ASCII_ROLES[k] = ASCII_LETTER


load_roles()


cdef inline Py_ssize_t read_ascii_word(const CharTables* chars, const unsigned char* text, Py_ssize_t size,
                                       Py_ssize_t at, TokenBuffer* out) noexcept nogil:
    """Append the ASCII word at text[at] as a token; return the offset behind the separator that ends the word.

    The word is a number, or lower-case letters of which the first may be a capital. If the filter of the buffer refuses
    it, it is counted, but not appended. If the rules of compounds or of special words may apply, or memory ran out,
    nothing is appended or counted and `at` is returned.
    """
    cdef Py_ssize_t end = at + 1
    cdef Py_ssize_t form = out.forms_size
    cdef unsigned char behind
    if chars.classes[text[at]] != DIGIT:
        end = rr_lowercase_end(text, end, size)
    else:
        while end < size and 0x30 <= text[end] <= 0x39:
            end += 1
    behind = text[end] if end < size else c' '
    if end - at > MAX_TERM:
        return at
    if ASCII_ROLES[behind] != WORD_SEPARATOR and not (
            behind == c'.' and (end + 1 == size or COMPOUND_SEPARATOR <= ASCII_ROLES[text[end + 1]] <= WORD_SEPARATOR)):
        return at
    if not form_may_pass(out, text + at, end - at):
        out.words += 1
        return end + (end < size)
    if not reserve_token(out):
        return at
    rr_copy_lowercase(out.forms + form, text + at, end - at, size - at)
    out.forms_size = form + ((end - at + 7) & ~7)
    append_token(out, at, end, form, end - at, end - at, WORD, out.words, 1, False)
    out.words += 1
    return end + (end < size)


cdef Py_ssize_t read_special(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, Py_ssize_t start,
                             TokenBuffer* out) noexcept nogil:
    """Append the word text[start:at] with the punctuation that is part of it, if there is any: c++, c#, #4410, 100%.

    Return the offset behind that punctuation, or `at` if none follows the word. The word alone has been appended
    before.
    """
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
    if end - begin == at - start or end - begin > MAX_TERM or not reserve_token(out):
        return at
    form = out.forms_size
    for k in range(begin, end):
        out.forms[form + k - begin] = text[k] | 0x20 if 0x41 <= text[k] <= 0x5A else text[k]
    end_form(out, form + end - begin)
    append_token(out, begin, end, form, end - begin, end - begin, SPECIAL, position, 1, False)
    return end if end > at else at


cdef void tokenise(const unsigned char* text, Py_ssize_t size, TokenBuffer* out) noexcept nogil:
    """Append the tokens of text[0:size] to `out`: words in the order of the text, joined forms behind their words.

    A word with its punctuation, such as c++, also follows the word alone. Call buffer_clear() before another text;
    check out.failed afterwards. O(size).
    """
    cdef const CharTables* chars = CHARS
    cdef Py_ssize_t at = 0, width, start, form
    cdef uint32_t point
    cdef int kind, used
    cdef bint marked = False  # whether a leading mark may be before text[at]
    while at < size and not out.failed:
        width = decode_code_point(text, size, at, &point)
        kind = char_class(chars, point)
        if LOWER <= kind <= LETTER:
            start = at
            if point < 0x80 and not marked:
                at = read_ascii_word(chars, text, size, start, out)
                if at > start:
                    continue
            at = read_compound(chars, text, size, at, out)
            if at < size or (start > 0 and text[start - 1] == c'#'):
                at = read_special(text, size, at, start, out)
            marked = text[at - 1] == c'#'
        elif kind == CJK:
            at = read_cjk(text, size, at, out)
        elif kind == EMOJI:
            if not reserve_token(out):
                return
            form = out.forms_size
            used = encode_code_point(point, out.forms + form)
            end_form(out, form + used)
            append_token(out, at, at + width, form, used, 1, WORD, out.words, 1, True)
            out.words += 1
            at += width
        else:
            at += width
            while at < size and text[at] < 0x80 and chars.classes[text[at]] == SEPARATOR:
                at += 1
            marked = ASCII_ROLES[text[at - 1]] == LEADING_MARK


def tokens(bytes text not None):
    """Return the tokens of UTF-8 `text`: a list of (form, kind, start, end, position, span, cjk).

    form: the normalised word, str. kind: WORD 0, JOINED 1, SPECIAL 2. start, end: byte offsets. position: number of
    words before it. span: how many words it covers. cjk: True for a script without spaces and for emoji. Raises
    MemoryError. O(len(text)).
    """
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


def query_tokens(bytes text not None, frozenset stop_words not None):
    """Return (words, compounds), two lists with the tokens of a query in UTF-8, without offsets.

    words: list of (form, written, counts, cjk): the normalised word as UTF-8, the word as it stands in the query,
    whether it counts, and whether it is of a script without spaces or an emoji. Stop words, given as UTF-8, do not
    count, unless the query has no other words. compounds: list of (form, written, position, span, cjk), joined and
    special forms, which cover words [position, position + span). The special form of a stop word, such as _at, is no
    stop word: it is a word in its place. Raises MemoryError.
    """
    cdef TokenBuffer buffer
    cdef Py_ssize_t k
    cdef Token* token
    cdef const unsigned char* data = text
    cdef Py_ssize_t size = len(text)
    words, compounds = [], []
    buffer_init(&buffer)
    try:
        tokenise(data, size, &buffer)  # with the GIL: a query is short
        if buffer.failed:
            raise MemoryError
        forms = [buffer.forms[buffer.items[k].form:buffer.items[k].form + buffer.items[k].size]
                 for k in range(buffer.count)]
        for k in range(buffer.count):
            token = buffer.items + k
            form = forms[k]
            written = data[token.start:token.end].decode("utf-8", "replace")
            if token.kind == WORD:
                words.append((form, written, form not in stop_words, bool(token.cjk)))
            elif token.kind == SPECIAL and token.span == 1 and not words[token.position][2]:
                words[token.position] = (form, written, True, False)
            else:
                compounds.append((form, written, token.position, token.span, bool(token.cjk)))
        if not any([counts for _, _, counts, _ in words]):
            words = [(form, written, True, cjk) for form, written, _, cjk in words]
        return words, compounds
    finally:
        buffer_free(&buffer)

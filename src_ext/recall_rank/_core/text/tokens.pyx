"""Cut UTF-8 text into normalised words, the joined forms of compounds, and CJK unigrams and bigrams.

One pass, no Python object below the edge. Every rule works on code points, ASCII or not; offsets are
always those of the text given. Bytes that are not UTF-8 separate words. Where a buffer tells what is
wanted, other words are left out, but counted: positions stay what they are.
"""

from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.text.token_buffer cimport (MAX_TERM, SPECIAL, WORD, Token, TokenBuffer, buffer_free, buffer_init, emit,
                                       is_wanted, pad, reserve)
from recall_rank._core.text.chars cimport CJK, DIGIT, EMOJI, LETTER, LOWER, SEPARATOR, Chars, class_of, known_chars
from recall_rank._core.text.cjk cimport read_cjk
from recall_rank._core.text.compounds cimport read_compound
from recall_rank._core.text.ascii_words cimport rr_lowercase_end, rr_copy_lowercase
from recall_rank._core.text.utf8 cimport encode, peek

cdef enum:
    GAP = 1     # an ASCII separator
    END = 2     # one behind which no rule of compounds and special words looks back
    BEGIN = 3   # an ASCII letter

cdef const Chars* CHARS = known_chars()
cdef uint8_t[256] ROLES  # of a byte beside and in plain words; 0 for what needs a closer look


cdef void load_roles():
    cdef int k
    for k in range(0x80):
        if CHARS.classes[k] == SEPARATOR:
            ROLES[k] = GAP if k in b"'_-+#%." else END
        elif CHARS.classes[k] != DIGIT:
            ROLES[k] = BEGIN


load_roles()


cdef inline Py_ssize_t read_plain(const Chars* chars, const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                  TokenBuffer* out) noexcept nogil:
    """Emit the word at `at` where no rule of compounds and special words applies; the offset behind it and the
    separator that ends it, or `at`.

    Such a word is a number, or of small ASCII letters, the first of either case, and ends where no word can go on.
    """
    cdef Py_ssize_t end = at + 1
    cdef Py_ssize_t form = out.forms_size
    cdef unsigned char behind
    if chars.classes[text[at]] != DIGIT:
        end = rr_lowercase_end(text, end, size)
    elif at and text[at - 1] == c'#':
        return at
    else:
        while end < size and 0x30 <= text[end] <= 0x39:
            end += 1
    behind = text[end] if end < size else c' '
    if end - at > MAX_TERM:
        return at
    if ROLES[behind] != END and not (behind == c'.' and (end + 1 == size or GAP <= ROLES[text[end + 1]] <= END)):
        return at
    if not is_wanted(out, text + at, end - at):
        out.words += 1
        return end + (end < size)
    if not reserve(out):
        return at
    rr_copy_lowercase(out.forms + form, text + at, end - at, size - at)
    out.forms_size = form + ((end - at + 7) & ~7)
    emit(out, at, end, form, end - at, end - at, WORD, out.words, 1, False)
    out.words += 1
    return end + (end < size)


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


cdef void tokenise(const unsigned char* text, Py_ssize_t size, TokenBuffer* out) noexcept nogil:
    """Append the tokens of `text` in the order they begin to be read; buffer_clear() first for a new text."""
    cdef const Chars* chars = CHARS
    cdef Py_ssize_t at = 0, width, start, form
    cdef uint32_t point
    cdef int kind, used
    while at < size and not out.failed:
        width = peek(text, size, at, &point)
        kind = class_of(chars, point)
        if LOWER <= kind <= LETTER:
            start = at
            if point < 0x80:
                at = read_plain(chars, text, size, start, out)
                if at > start:
                    continue
            at = read_compound(chars, text, size, at, out)
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
            while at < size and text[at] < 0x80 and chars.classes[text[at]] == SEPARATOR:
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


def asked(bytes text not None, frozenset stop_words not None):
    """What a query in UTF-8 asks for: its words, (form, written, counts, cjk) each, and its compounds, (form, written,
    position, span, cjk) each. Of the words `stop_words` count only where nothing else stands."""
    cdef TokenBuffer buffer
    cdef Py_ssize_t k
    cdef Token* token
    cdef bint content = False
    cdef const unsigned char* data = text
    cdef Py_ssize_t size = len(text)
    words, compounds = [], []
    buffer_init(&buffer)
    try:
        tokenise(data, size, &buffer)  # a query is short: another thread would not have woken up to take the lock
        if buffer.failed:
            raise MemoryError
        forms = [buffer.forms[buffer.items[k].form:buffer.items[k].form + buffer.items[k].size]
                 for k in range(buffer.count)]
        for k in range(buffer.count):
            content = content or (buffer.items[k].kind == WORD and forms[k] not in stop_words)
        for k in range(buffer.count):
            token = buffer.items + k
            written = data[token.start:token.end].decode("utf-8", "replace")
            if token.kind == WORD:
                words.append((forms[k], written, not content or forms[k] not in stop_words, bool(token.cjk)))
            else:
                compounds.append((forms[k], written, token.position, token.span, bool(token.cjk)))
        return words, compounds
    finally:
        buffer_free(&buffer)

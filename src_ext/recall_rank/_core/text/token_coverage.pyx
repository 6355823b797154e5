"""Coverage of a text by its tokens: whether every run of ASCII letters and digits is inside the form of a token.

A form is the normalised word of a token. Tokens are cut where they grow too long, and compounds of very many subwords
are not joined. A run that is in no token's form can be found only by a scan of the text. Runs of one or two bytes do
not count: the s of Ada's is in no token.
"""

from recall_rank._core.text.token_buffer cimport WORD, Token, TokenBuffer, buffer_free, buffer_init
from recall_rank._core.text.tokens cimport tokenise


cdef enum:
    MIN_RUN = 3              # bytes of the shortest run that counts
    MAX_COMPOUND_WORDS = 33  # words of a compound; its joined forms follow its words


cdef bint form_contains(const unsigned char* form, Py_ssize_t size, const unsigned char* run,
                        Py_ssize_t length) noexcept nogil:
    """Return whether form[0:size] contains run[0:length], whose capitals count as lower case."""
    cdef Py_ssize_t at, k
    for at in range(size - length + 1):
        k = 0
        while k < length and form[at + k] == (run[k] | 0x20 if 0x41 <= run[k] <= 0x5A else run[k]):
            k += 1
        if k == length:
            return True
    return False


cdef bint covers_alnum_runs(const unsigned char* text, Py_ssize_t size, const TokenBuffer* found) noexcept nogil:
    """Return whether each run of at least MIN_RUN ASCII letters and digits is in the form of a token at its place.

    `found` has the tokens of text[0:size], in the order in which tokenise() appends them. O(size * MAX_COMPOUND_WORDS).
    """
    cdef Py_ssize_t at = 0, end, first = 0, k
    cdef const Token* token
    cdef bint covered
    cdef int words_behind
    while at < size:
        if not is_ascii_alnum(text[at]):
            at += 1
            continue
        end = at + 1
        while end < size and is_ascii_alnum(text[end]):
            end += 1
        if end - at < MIN_RUN:
            at = end
            continue
        while first < found.count and <Py_ssize_t>found.items[first].end <= at:
            first += 1
        covered = False
        words_behind = 0
        k = first
        while k < found.count and not covered and words_behind <= MAX_COMPOUND_WORDS:
            token = found.items + k
            words_behind += token.kind == WORD and <Py_ssize_t>token.start >= end
            covered = (<Py_ssize_t>token.start <= at and end <= <Py_ssize_t>token.end
                       and form_contains(found.forms + token.form, token.size, text + at, end - at))
            k += 1
        if not covered:
            return False
        at = end
    return True


def is_covered(bytes text not None):
    """Return (covered, certain), two bools that say whether the tokens of UTF-8 `text` contain its letters and digits.

    covered: each run of three or more ASCII letters and digits is in the form of a token at its place. certain: the
    tokeniser has shortened and left out nothing, so that `covered` is True without a check of the runs.
    """
    cdef TokenBuffer found
    cdef const unsigned char* data = text
    cdef bint good
    buffer_init(&found)
    try:
        tokenise(data, len(text), &found)
        if found.failed:
            raise MemoryError
        good = covers_alnum_runs(data, len(text), &found)
        return good, not found.partial
    finally:
        buffer_free(&found)

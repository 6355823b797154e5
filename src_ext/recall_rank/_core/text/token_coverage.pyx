"""Whether what stands in a text can be found by its words: every run of ASCII letters and digits inside a token.

Tokens are cut where they grow too long, and compounds of very many pieces are not joined. A run without a token that
holds it all is found by a look at the text only. Runs of one or two do not count: the s of Ada's is in no token.
"""

from recall_rank._core.text.token_buffer cimport WORD, Token, TokenBuffer, buffer_free, buffer_init
from recall_rank._core.text.tokens cimport tokenise


cdef enum:
    SHORTEST = 3   # letters and digits of a run that counts
    COMPOUND = 33  # words of a compound at most, behind which its joined forms come


cdef bint holds(const unsigned char* form, Py_ssize_t size, const unsigned char* run, Py_ssize_t length) noexcept nogil:
    """Whether a form holds a run, whose capitals are not yet small."""
    cdef Py_ssize_t at, k
    for at in range(size - length + 1):
        k = 0
        while k < length and form[at + k] == (run[k] | 0x20 if 0x41 <= run[k] <= 0x5A else run[k]):
            k += 1
        if k == length:
            return True
    return False


cdef bint is_whole(const unsigned char* text, Py_ssize_t size, const TokenBuffer* found) noexcept nogil:
    """Whether every run of ASCII letters and digits in `text` that counts stands in the form of a token around it."""
    cdef Py_ssize_t at = 0, end, first = 0, k
    cdef const Token* token
    cdef bint stands
    cdef int behind
    while at < size:
        if not in_run(text[at]):
            at += 1
            continue
        end = at + 1
        while end < size and in_run(text[end]):
            end += 1
        if end - at < SHORTEST:
            at = end
            continue
        while first < found.count and <Py_ssize_t>found.items[first].end <= at:
            first += 1
        stands = False
        behind = 0
        k = first
        while k < found.count and not stands and behind <= COMPOUND:
            token = found.items + k
            behind += token.kind == WORD and <Py_ssize_t>token.start >= end
            stands = (<Py_ssize_t>token.start <= at and end <= <Py_ssize_t>token.end
                      and holds(found.forms + token.form, token.size, text + at, end - at))
            k += 1
        if not stands:
            return False
        at = end
    return True


def whole(bytes text not None):
    """Whether every run of three or more ASCII letters and digits in UTF-8 `text` stands in the form of a token around
    it, and whether that was clear without a look at the runs."""
    cdef TokenBuffer found
    cdef const unsigned char* data = text
    cdef bint good
    buffer_init(&found)
    try:
        tokenise(data, len(text), &found)
        if found.failed:
            raise MemoryError
        good = is_whole(data, len(text), &found)
        return good, not found.partial
    finally:
        buffer_free(&found)

"""Tokens, and the buffer that collects them. A form is the normalised word of a token.

A filter of forms in the buffer lets the tokeniser leave out tokens that no one looks for.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

cdef enum:
    WORD = 0       # a run of text between separators and changes of case
    JOINED = 1     # the subwords of a compound, catenated to one word
    SPECIAL = 2    # a word or compound with the punctuation that belongs to it: c++, c#, #4410, 100%, _x, --flag, .env
    MAX_JOIN = 12  # subwords of a compound that are catenated
    MAX_TERM = 64  # bytes of a form; a longer one is cut between two characters
    SHAPES = 1024  # shapes of a form: pairs of first and last byte, five bits each

cdef struct Token:
    uint64_t hash      # form_hash()
    uint32_t start     # byte offsets in the text: [start, end)
    uint32_t end
    uint32_t form      # offset of the normalised form in TokenBuffer.forms
    uint32_t position  # ordinal of its first word in the text
    uint16_t size      # bytes of the form
    uint8_t length     # code points of the form
    uint8_t kind
    uint8_t span       # count of words from `position` on
    uint8_t cjk        # 1 for a script written without spaces, and for emoji

cdef struct TermFilter:          # a superset of the forms that a caller looks for, like a Bloom filter
    uint64_t[SHAPES] shapes      # by shape_index(): bit k - 1 is set where a form of k bytes has the shape
    uint32_t[32] seconds         # by the first byte, five bits: the set of second bytes, five bits each

cdef struct TokenBuffer:
    Token* items
    Py_ssize_t count
    Py_ssize_t capacity
    unsigned char* forms   # each form zero-padded to a multiple of 8 bytes
    Py_ssize_t forms_size
    Py_ssize_t forms_capacity
    uint32_t words          # count of words so far, those that the filter refused included
    int failed              # 1 where memory ran out: the tokens are incomplete
    int partial             # 1 where a form was shortened, or a compound not catenated
    const TermFilter* term_filter  # borrowed; NULL collects every token


cdef inline int shape_index(unsigned char first, unsigned char last) noexcept nogil:
    """Return an index below SHAPES for a form with these first and last bytes; capitals count as lower case."""
    return (first & 31) << 5 | (last & 31)


cdef inline void filter_add(TermFilter* term_filter, const unsigned char* form, int size) noexcept nogil:
    """Let the filter pass the form of `size` bytes, 1 to MAX_TERM, which is zero-padded to a multiple of 8 bytes."""
    term_filter.shapes[shape_index(form[0], form[size - 1])] |= <uint64_t>1 << (size - 1)
    term_filter.seconds[form[0] & 31] |= <uint32_t>1 << (form[1] & 31)


cdef inline void filter_add_prefix(TermFilter* term_filter, const unsigned char* form, int size) noexcept nogil:
    """Let the filter pass every form that begins with the `size` > 0 bytes of `form` and is longer."""
    cdef int last
    for last in range(32 if size < MAX_TERM else 0):
        term_filter.shapes[shape_index(form[0], last)] |= ~<uint64_t>0 << size
    term_filter.seconds[form[0] & 31] |= <uint32_t>1 << (form[1] & 31) if size > 1 else ~<uint32_t>0


cdef inline bint shape_may_pass(const TokenBuffer* out, unsigned char first, unsigned char last,
                                Py_ssize_t size) noexcept nogil:
    """Return False only if the buffer's filter refuses every form of this size, above 0, and these end bytes.

    `first` and `last` are the first and the last byte of the form, in any case. True without a filter.
    """
    return out.term_filter == NULL or out.term_filter.shapes[shape_index(first, last)] >> (size - 1) & 1


cdef inline bint prefix_may_pass(const TokenBuffer* out, unsigned char first, unsigned char second) noexcept nogil:
    """Return False only if the buffer's filter refuses every form that begins with the bytes `first` and `second`.

    The case of both bytes is ignored. True without a filter.
    """
    return out.term_filter == NULL or out.term_filter.seconds[first & 31] >> (second & 31) & 1


cdef inline bint form_may_pass(const TokenBuffer* out, const unsigned char* word, Py_ssize_t size) noexcept nogil:
    """Return False only if the buffer's filter refuses the form word[0:size]; True may be wrong, as in a Bloom filter.
    """
    if out.term_filter == NULL or size < 1:
        return True
    # the beginning is tested first: it refuses most words
    return (size == 1 or prefix_may_pass(out, word[0], word[1])) and shape_may_pass(out, word[0], word[size - 1], size)


cdef inline uint64_t form_hash(const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Return a 64-bit hash of the form of `size` bytes, which is zero-padded to a multiple of 8 bytes.

    Eight bytes at a time are combined by xor, multiplication and shift, with constants of MurmurHash3's finaliser and
    of the golden ratio. The values live in memory only: they are no part of a stored format.
    """
    cdef uint64_t value = 0x9E3779B97F4A7C15ULL ^ <uint64_t>size, word
    cdef Py_ssize_t at = 0
    while at < size:
        memcpy(&word, form + at, 8)
        value = (value ^ word) * 0xFF51AFD7ED558CCDULL
        value ^= value >> 32
        at += 8
    # once more: the last letters of a word are in the upper bits, which have not yet reached the lower ones
    value *= 0x9E3779B97F4A7C15ULL
    return value ^ value >> 32


cdef inline void buffer_init(TokenBuffer* buffer) noexcept nogil:
    """Make an uninitialised buffer empty: it has no tokens, no memory and no filter."""
    memset(buffer, 0, sizeof(TokenBuffer))


cdef inline void buffer_free(TokenBuffer* buffer) noexcept nogil:
    """Free the memory of the buffer, and make it empty; its filter, which is borrowed, is forgotten."""
    free(buffer.items)
    free(buffer.forms)
    memset(buffer, 0, sizeof(TokenBuffer))


cdef inline void buffer_clear(TokenBuffer* buffer) noexcept nogil:
    """Forget the tokens of the buffer and keep its memory and its filter, for another text."""
    buffer.count = 0
    buffer.forms_size = 0
    buffer.words = 0
    buffer.failed = 0
    buffer.partial = 0


cdef inline bint reserve_token(TokenBuffer* out) noexcept nogil:
    """Make room for one more token and its form; if memory runs out, set `failed` and return False."""
    cdef void* grown
    cdef Py_ssize_t capacity
    if out.count + 1 > out.capacity:
        capacity = out.capacity * 2 if out.capacity else 512
        grown = realloc(out.items, capacity * sizeof(Token))
        if grown == NULL:
            out.failed = 1
            return False
        out.items = <Token*>grown
        out.capacity = capacity
    if out.forms_size + 2 * MAX_TERM > out.forms_capacity:
        capacity = out.forms_capacity * 2 if out.forms_capacity else 8192
        grown = realloc(out.forms, capacity)
        if grown == NULL:
            out.failed = 1
            return False
        out.forms = <unsigned char*>grown
        out.forms_capacity = capacity
    return True


cdef inline void end_form(TokenBuffer* out, Py_ssize_t end) noexcept nogil:
    """Zero-pad the form that ends at forms[end] to a multiple of 8 bytes; reserve_token() left room for the padding."""
    cdef uint64_t zeros = 0
    memcpy(out.forms + end, &zeros, 8)
    out.forms_size = (end + 7) & ~7


cdef inline void append_token(TokenBuffer* out, uint32_t start, uint32_t end, uint32_t form, int size, int length,
                              int kind, uint32_t position, int span, bint cjk) noexcept nogil:
    """Append a token whose padded form is in `forms`, unless the filter refuses it.

    reserve_token() must have been called. start, end: bytes in the text. form: offset in `forms`. size, length: bytes
    and code points of the form. kind: WORD, JOINED or SPECIAL. position: number of words before it. span: how many
    words it covers. cjk: whether it is of a script without spaces or an emoji.
    """
    cdef Token* token = out.items + out.count
    if not form_may_pass(out, out.forms + form, size):
        return
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

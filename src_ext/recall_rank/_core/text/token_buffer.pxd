# The tokens of a text and where they are collected: inline in every room that makes or reads them.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

cdef enum:
    WORD = 0       # a piece of text between separators and case changes
    JOINED = 1     # the pieces of a compound written as one word
    SPECIAL = 2    # a form that punctuation makes: c++, c#, #4410, 100%
    MAX_JOIN = 12  # pieces of a compound that are joined
    MAX_TERM = 64  # bytes of a normalised form; longer ones are cut on a character
    SHAPES = 1024  # pairs of the letters a form begins and ends with

cdef struct Token:
    uint64_t hash
    uint32_t start     # bytes in the text
    uint32_t end
    uint32_t form      # where the normalised form begins in TokenBuffer.forms
    uint32_t position  # ordinal of its first word
    uint16_t size      # bytes of the form
    uint8_t length     # code points of the form
    uint8_t kind
    uint8_t span       # words it stands for
    uint8_t cjk        # from a script written without spaces

cdef struct Wanted:          # what the forms that are looked for look like
    uint64_t[SHAPES] shapes  # by shape_of(): bit k - 1 for forms of k bytes
    uint32_t[32] seconds     # by the first letter: the bits of second ones

cdef struct TokenBuffer:
    Token* items
    Py_ssize_t count
    Py_ssize_t capacity
    unsigned char* forms   # each form zero-padded to a multiple of 8 bytes
    Py_ssize_t forms_size
    Py_ssize_t forms_capacity
    uint32_t words
    int failed             # memory ran out; what is there is not complete
    int partial            # some word or compound may not be there as a whole
    const Wanted* wanted   # NULL where every word is looked for


cdef inline int shape_of(unsigned char first, unsigned char last) noexcept nogil:
    """Below SHAPES: what a form begins and ends with, a capital as its small letter."""
    return (first & 31) << 5 | (last & 31)


cdef inline void want(Wanted* wanted, const unsigned char* form, int size) noexcept nogil:
    """Look for a form, which is zero-padded."""
    wanted.shapes[shape_of(form[0], form[size - 1])] |= <uint64_t>1 << (size - 1)
    wanted.seconds[form[0] & 31] |= <uint32_t>1 << (form[1] & 31)


cdef inline void want_longer(Wanted* wanted, const unsigned char* form, int size) noexcept nogil:
    """Look for every longer form that begins with this one."""
    cdef int last
    for last in range(32 if size < MAX_TERM else 0):
        wanted.shapes[shape_of(form[0], last)] |= ~<uint64_t>0 << size
    wanted.seconds[form[0] & 31] |= <uint32_t>1 << (form[1] & 31) if size > 1 else ~<uint32_t>0


cdef inline bint may_be_wanted(const TokenBuffer* out, unsigned char first, unsigned char last,
                               Py_ssize_t size) noexcept nogil:
    """Whether a form of `size` > 0 bytes that begins and ends so, in small or not, may be one that is looked for."""
    return out.wanted == NULL or out.wanted.shapes[shape_of(first, last)] >> (size - 1) & 1


cdef inline bint may_begin(const TokenBuffer* out, unsigned char first, unsigned char second) noexcept nogil:
    """Whether a form of more than one byte that begins so, in small or not, may be one that is looked for."""
    return out.wanted == NULL or out.wanted.seconds[first & 31] >> (second & 31) & 1


cdef inline bint is_wanted(const TokenBuffer* out, const unsigned char* word, Py_ssize_t size) noexcept nogil:
    """The same of a form of these bytes."""
    if out.wanted == NULL or size < 1:
        return True
    # what it begins with is asked first: few do
    return (size == 1 or may_begin(out, word[0], word[1])) and may_be_wanted(out, word[0], word[size - 1], size)


cdef inline uint64_t form_hash(const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Hash of a form that is zero-padded to a multiple of 8 bytes."""
    cdef uint64_t value = 0x9E3779B97F4A7C15ULL ^ <uint64_t>size, word
    cdef Py_ssize_t at = 0
    while at < size:
        memcpy(&word, form + at, 8)
        value = (value ^ word) * 0xFF51AFD7ED558CCDULL
        value ^= value >> 32
        at += 8
    # once more: the last letters of a word are the upper bits, which the lower ones have not met yet
    value *= 0x9E3779B97F4A7C15ULL
    return value ^ value >> 32


cdef inline void buffer_init(TokenBuffer* buffer) noexcept nogil:
    memset(buffer, 0, sizeof(TokenBuffer))


cdef inline void buffer_free(TokenBuffer* buffer) noexcept nogil:
    free(buffer.items)
    free(buffer.forms)
    memset(buffer, 0, sizeof(TokenBuffer))


cdef inline void buffer_clear(TokenBuffer* buffer) noexcept nogil:
    buffer.count = 0
    buffer.forms_size = 0
    buffer.words = 0
    buffer.failed = 0
    buffer.partial = 0


cdef inline bint reserve(TokenBuffer* out) noexcept nogil:
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


cdef inline void pad(TokenBuffer* out, Py_ssize_t end) noexcept nogil:
    """Let the form that ends at `end` be the last; reserve() left room for eight bytes behind it."""
    cdef uint64_t zeros = 0
    memcpy(out.forms + end, &zeros, 8)
    out.forms_size = (end + 7) & ~7


cdef inline void emit(TokenBuffer* out, uint32_t start, uint32_t end, uint32_t form, int size, int length, int kind,
                      uint32_t position, int span, bint cjk) noexcept nogil:
    """Append a token whose padded form is in place, if it is wanted; reserve() was called."""
    cdef Token* token = out.items + out.count
    if not is_wanted(out, out.forms + form, size):
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

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    WORD = 0       # a piece of text between separators and case changes
    JOINED = 1     # the pieces of a compound written as one word
    SPECIAL = 2    # a form that punctuation makes: c++, c#, #4410, 100%
    MAX_JOIN = 12  # pieces of a compound that are joined
    MAX_TERM = 64  # bytes of a normalised form; longer ones are cut on a character

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

cdef struct TokenBuffer:
    Token* items
    Py_ssize_t count
    Py_ssize_t capacity
    unsigned char* forms   # each form zero-padded to a multiple of 8 bytes
    Py_ssize_t forms_size
    Py_ssize_t forms_capacity
    uint32_t words
    int failed             # memory ran out; what is there is not complete

cdef void buffer_init(TokenBuffer* buffer) noexcept nogil
cdef void buffer_free(TokenBuffer* buffer) noexcept nogil
cdef void buffer_clear(TokenBuffer* buffer) noexcept nogil
cdef void tokenise(const unsigned char* text, Py_ssize_t size, TokenBuffer* out) noexcept nogil
cdef uint64_t form_hash(const unsigned char* form, Py_ssize_t size) noexcept nogil
cdef Py_ssize_t decode(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, uint32_t* point) noexcept nogil

from libc.stdint cimport uint8_t, uint16_t, uint64_t

from recall_rank._core.text.token_buffer cimport MAX_TERM, Token, TermFilter
from recall_rank._core.rank.features cimport FormMatch

cdef enum:
    CUE = 255            # the slot of words that only show what kind of answer a passage holds

cdef struct Form:
    uint64_t hash
    float similarity
    uint8_t size
    uint8_t slot
    uint8_t span
    unsigned char[MAX_TERM] bytes

cdef struct Prefix:
    uint64_t head        # its first eight bytes
    uint64_t mask        # 0xFF for each of these bytes that the prefix has
    float similarity
    uint8_t size
    uint8_t slot
    unsigned char[MAX_TERM] bytes

cdef struct QueryForms:
    Form* forms
    int count
    int room             # a power of two
    uint16_t* table      # open addressing, SPARSE entries a form: 1 + the form's number, 0 for an empty entry
    Prefix* prefixes
    int prefix_count
    uint8_t[256] begins  # 1 for the first byte of a prefix
    TermFilter term_filter  # lengths and first bytes of all forms: the tokeniser skips other tokens

cdef bint forms_init(QueryForms* known) noexcept nogil
cdef void forms_free(QueryForms* known) noexcept nogil
cdef bint forms_add(QueryForms* known, bytes form, int slot, int span, float similarity) except -1
cdef bint forms_add_prefix(QueryForms* known, bytes form, int slot, float similarity) except -1
cdef bint forms_match(const QueryForms* known, const Token* token, const unsigned char* form,
                      FormMatch* match) noexcept nogil

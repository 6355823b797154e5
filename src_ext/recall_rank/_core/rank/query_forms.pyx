"""The forms, that is normalised words, that match the words of a query, and the look-up of a token among them."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from recall_rank._core.text.token_buffer cimport MAX_TERM, Token, filter_add, filter_add_prefix, form_hash
from recall_rank._core.rank.features cimport FormMatch

cdef enum:
    MAX_FORMS = 2048     # forms a query may have
    FIRST_FORMS = 64     # forms for which memory is taken at first
    SPARSE = 4           # entries a form in the open-addressing table
    PREFIXES = 64


cdef bint forms_init(QueryForms* known) noexcept nogil:
    """Allocate memory for the zeroed *known; return False when memory ran out. forms_free() must follow in any case."""
    known.prefixes = <Prefix*>PyMem_RawMalloc(PREFIXES * sizeof(Prefix))
    return known.prefixes != NULL and make_room(known, FIRST_FORMS)


cdef void forms_free(QueryForms* known) noexcept nogil:
    """Free the memory of the forms."""
    PyMem_RawFree(known.forms)
    PyMem_RawFree(known.table)
    PyMem_RawFree(known.prefixes)


cdef uint16_t* place(const QueryForms* known, const unsigned char* data, int size, uint64_t hash) noexcept nogil:
    """Return the entry of a form in the hash table, or the empty entry at which to insert it."""
    cdef uint64_t last = known.room * SPARSE - 1
    cdef uint64_t at = hash & last
    cdef const Form* entry
    while known.table[at]:
        entry = known.forms + known.table[at] - 1
        if entry.hash == hash and entry.size == size and memcmp(entry.bytes, data, size) == 0:
            break
        at = (at + 1) & last
    return known.table + at


cdef bint make_room(QueryForms* known, int room) noexcept nogil:
    """Allocate memory for `room` forms, a power of two, and rebuild the table; return False when memory ran out.

    *known is still valid then, with its previous room.
    """
    cdef Form* forms = <Form*>PyMem_RawRealloc(known.forms, room * sizeof(Form))
    cdef uint16_t* table = <uint16_t*>PyMem_RawCalloc(room * SPARSE, sizeof(uint16_t))
    cdef int k
    if forms != NULL:
        known.forms = forms
    if forms == NULL or table == NULL:
        PyMem_RawFree(table)
        return False
    PyMem_RawFree(known.table)
    known.table = table
    known.room = room
    for k in range(known.count):
        place(known, forms[k].bytes, forms[k].size, forms[k].hash)[0] = k + 1
    return True


cdef bint forms_add(QueryForms* known, bytes form, int slot, int span, float similarity) except -1:
    """Let `form` match the words [slot, slot + span) of the query with `similarity`; CUE as slot makes it a cue word.

    Return True; False when the form is known, empty or too long, or when there are as many forms as allowed. Raises
    MemoryError.
    """
    cdef unsigned char padded[MAX_TERM + 8]
    cdef int size = len(form)
    cdef Form* entry
    cdef uint16_t* number
    cdef uint64_t hash
    if not 0 < size <= MAX_TERM:
        return False
    memset(padded, 0, sizeof(padded))
    memcpy(padded, <const unsigned char*>form, size)
    hash = form_hash(padded, size)
    number = place(known, padded, size, hash)
    if number[0] or known.count == MAX_FORMS:
        return False
    if known.count == known.room:
        if not make_room(known, 2 * known.room):
            raise MemoryError
        number = place(known, padded, size, hash)
    entry = known.forms + known.count
    known.count += 1
    number[0] = known.count
    entry.hash = hash
    entry.size = size
    entry.slot = slot
    entry.span = span
    entry.similarity = similarity
    memcpy(entry.bytes, padded, size)
    filter_add(&known.term_filter, padded, size)
    return True


cdef bint forms_add_prefix(QueryForms* known, bytes form, int slot, float similarity) except -1:
    """Let every longer word that begins with `form` match the query word `slot`, unless it is a form itself.

    Return True; False when `form` is empty or too long, or when there are as many prefixes as allowed.
    """
    cdef int size = len(form)
    cdef Prefix* entry
    if not 0 < size <= MAX_TERM or known.prefix_count == PREFIXES:
        return False
    entry = known.prefixes + known.prefix_count
    entry.size = size
    entry.slot = slot
    entry.similarity = similarity
    memset(entry.bytes, 0, sizeof(entry.bytes))
    memset(entry.bytes, 0xFF, min(size, <int>sizeof(uint64_t)))
    memcpy(&entry.mask, entry.bytes, sizeof(uint64_t))
    memset(entry.bytes, 0, sizeof(uint64_t))
    memcpy(entry.bytes, <const unsigned char*>form, size)
    memcpy(&entry.head, entry.bytes, sizeof(uint64_t))
    known.begins[entry.bytes[0]] = 1
    filter_add_prefix(&known.term_filter, entry.bytes, size)
    known.prefix_count += 1
    return True


cdef bint forms_match(const QueryForms* known, const Token* token, const unsigned char* form,
                      FormMatch* match) noexcept nogil:
    """Fill in *match for a token, whose zero-padded bytes are `form`; return False when no form and no prefix matches.
    """
    cdef uint16_t number = place(known, form, token.size, token.hash)[0]
    cdef const Form* entry
    cdef const Prefix* prefix
    cdef uint64_t head
    cdef int k
    match.position = token.position
    match.words = token.span
    match.start = token.start
    match.end = token.end
    if number:
        entry = known.forms + number - 1
        match.slot = entry.slot
        match.span = entry.span
        match.similarity = entry.similarity
        return True
    if known.begins[form[0]]:
        memcpy(&head, form, sizeof(head))
        for k in range(known.prefix_count):
            prefix = known.prefixes + k
            if (head & prefix.mask) == prefix.head and token.size > prefix.size and memcmp(
                    form, prefix.bytes, prefix.size) == 0:
                match.slot = prefix.slot
                match.span = 1
                match.similarity = prefix.similarity
                return True
    return False

"""Find other spellings of query words in a vocabulary: with a field's tag, joined to one word, or split in two.

Words are passed as lists of forms, that is normalised words in UTF-8. An empty form is not looked up.
"""

from libc.string cimport memcpy

from recall_rank._core.text.token_buffer cimport MAX_TERM
from recall_rank._core.index.vocabulary cimport Vocabulary


cdef bint is_plain(const unsigned char* form, Py_ssize_t size) noexcept nogil:
    """Return whether a form consists of ASCII letters and digits alone."""
    cdef Py_ssize_t k
    for k in range(size):
        if not (c'0' <= form[k] <= c'9' or c'a' <= form[k] | 0x20 <= c'z'):
            return False
    return True


def tagged_terms(Vocabulary vocabulary not None, list forms not None, bytes tags not None):
    """Return the terms that consist of a byte of `tags` and a form: a list of (form index, tag index, term number).

    A tag is a byte in front of a term that says in which field its word occurs. Forms that are empty or too long are
    left out.
    """
    cdef unsigned char term[MAX_TERM]
    cdef Py_ssize_t at, tag, size, number, misses
    cdef bytes form
    while True:
        misses = vocabulary.misses
        found = []
        for at in range(len(forms)):
            form = <bytes?>forms[at]
            size = len(form)
            if not 0 < size < MAX_TERM:
                continue
            memcpy(term + 1, <const unsigned char*>form, size)
            for tag in range(len(tags)):
                term[0] = (<const unsigned char*>tags)[tag]
                number = vocabulary.number(term, size + 1)
                if number >= 0:
                    found.append((at, tag, number))
        if not vocabulary.load(misses):
            return found


def joined_words(Vocabulary vocabulary not None, list forms not None, Py_ssize_t longest, bytes unknown not None):
    """Join two to `longest` neighbouring words; return a list of (first, last, form, term number).

    form is the join of forms[first] to forms[last], both included. Returned are joins that are terms, and joins of an
    unknown word, whose spelling may be corrected later; their term number is -1 if they are no terms. unknown has one
    byte for each word, not 0 if no document contains it. Joins longer than MAX_TERM bytes or with an empty form are
    left out. Raises ValueError if `forms` and `unknown` differ in length.
    """
    cdef Py_ssize_t misses
    if len(unknown) != len(forms):
        raise ValueError("forms and unknown differ in length")
    while True:
        misses = vocabulary.misses
        found = joins(vocabulary, forms, longest, unknown)
        if not vocabulary.load(misses):
            return found


cdef list joins(Vocabulary vocabulary, list forms, Py_ssize_t longest, bytes unknown):
    """Return what joined_words() returns, once the blocks of the vocabulary that it reads are there."""
    cdef unsigned char term[MAX_TERM]
    cdef Py_ssize_t sizes[MAX_TERM]  # sizes[k]: bytes of the join of the words [at, at + k]
    cdef Py_ssize_t at, last, end, size, more, number
    cdef Py_ssize_t count = len(forms)
    cdef bint open_to_repair
    cdef bytes form
    found = []
    for at in range(count):
        size = 0
        end = at
        while end < min(at + longest, count):
            form = <bytes?>forms[end]
            more = len(form)
            if more == 0 or size + more > MAX_TERM:
                break
            memcpy(term + size, <const unsigned char*>form, more)
            size += more
            sizes[end - at] = size
            end += 1
        open_to_repair = False
        for last in range(at, end):
            size = sizes[last - at]
            open_to_repair = open_to_repair or (<const unsigned char*>unknown)[last] != 0
            if last > at:
                number = vocabulary.number(term, size)
                if number >= 0 or open_to_repair:
                    found.append((at, last, term[:size], number))
    return found


def split_words(Vocabulary vocabulary not None, list forms not None, Py_ssize_t shortest):
    """Split forms into two terms of at least `shortest` bytes each; return a list of (form index, offset of the cut).

    The offset is in bytes; a form may have several cuts or none. Only forms of ASCII letters and digits are split.
    Raises ValueError for shortest < 1.
    """
    cdef const unsigned char* data
    cdef Py_ssize_t at, cut, size, misses
    cdef bytes form
    if shortest < 1:
        raise ValueError(f"a half has at least one byte, not {shortest}")
    while True:
        misses = vocabulary.misses
        found = []
        for at in range(len(forms)):
            form = <bytes?>forms[at]
            data = form
            size = len(form)
            if size < 2 * shortest or not is_plain(data, size):
                continue
            for cut in range(shortest, size - shortest + 1):
                if vocabulary.number(data, cut) >= 0 and vocabulary.number(data + cut, size - cut) >= 0:
                    found.append((at, cut))
        if not vocabulary.load(misses):
            return found

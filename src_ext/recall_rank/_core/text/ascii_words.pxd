"""Lower-case ASCII words: the end of a run of the letters a-z, and a lower-case copy of a word.

Most words of a text are ASCII letters between separators and need none of the rules for compounds.
"""

from libc.stddef cimport ptrdiff_t

cdef extern from "simd/ascii_words.h":
    # The offset behind the run of a-z at `at`.
    ptrdiff_t rr_lowercase_end(const unsigned char* text, ptrdiff_t at, ptrdiff_t size) noexcept nogil
    # Copy `length` letters or digits in lower case, padded with zeros to a multiple of 8 bytes.
    void rr_copy_lowercase(unsigned char* to, const unsigned char* text, ptrdiff_t length,
                           ptrdiff_t readable) noexcept nogil

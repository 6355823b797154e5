# Prefilter of fuzzy look-ups: select terms by letter signature, without reading the terms.

from libc.stdint cimport uint32_t

cdef extern from "simd/term_signatures.h":
    Py_ssize_t rr_sieve(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last, uint32_t wanted, int less,
                        int more, uint32_t* out, Py_ssize_t room, Py_ssize_t* next, bint use_simd) noexcept nogil

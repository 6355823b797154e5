"""Optimal string alignment distances between one word and eight ASCII terms of equal length.

The algorithm is Hyyro's of 2003; the layout of the arguments is described in simd/osa_simd.h.
"""

from libc.stdint cimport uint32_t

cdef extern from "simd/osa_simd.h":
    # Writes edits[0:8]; only where rr_has_osa_x8() returns True.
    void rr_osa_x8(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* char_masks,
                   int length, uint32_t* edits) noexcept nogil
    bint rr_has_osa_x8() noexcept nogil

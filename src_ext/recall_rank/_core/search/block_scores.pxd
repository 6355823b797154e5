# C functions that score a block of documents; simd/block_scores.h documents them.

from libc.stdint cimport uint8_t, uint16_t, uint32_t

cdef extern from "simd/block_scores.h":
    Py_ssize_t rr_collect_nonzero(float* scores, Py_ssize_t size, uint32_t base, uint32_t* docs, float* values,
                                  Py_ssize_t count, bint use_simd) noexcept nogil
    void rr_fill_lanes() noexcept nogil
    float rr_bm25(float tf, float factor, const float* shape_weight) noexcept nogil
    void rr_add_scores(const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count, float form_weight, float factor,
                       const uint16_t* shapes, const float* shape_weights, float* scores) noexcept nogil
    void rr_add_scores_and_sums(const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count, float form_weight,
                                float factor, const uint16_t* shapes, const float* shape_weights, float* scores,
                                float* sums) noexcept nogil

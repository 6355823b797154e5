/* BM25 over one block of documents: add term scores to f32[block], then move the scores that are not 0 to a list. */
#ifndef RECALL_RANK_BLOCK_SCORES_H
#define RECALL_RANK_BLOCK_SCORES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Append the indexes, plus `base`, and the values of the scores that are not 0, and set all scores to 0; returns the
   new count. Without a branch, since hits are scattered and cannot be predicted: one element behind the count is
   written. */
static ptrdiff_t rr_collect_nonzero_scalar(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                               ptrdiff_t count) {
    for (ptrdiff_t k = 0; k < size; k++) {
        uint32_t bits;
        memcpy(&bits, scores + k, 4);
        docs[count] = base + (uint32_t)k;
        values[count] = scores[k];
        count += bits != 0;
    }
    memset(scores, 0, (size_t)size * sizeof(float));
    return count;
}
/* The BM25 score of a group of terms in a document: class weight * factor * tf / (tf + norm). tf is the sum of the
   frequencies of the group's forms, each times the weight of the form; factor is the group's weight times (k1 + 1);
   shape_weight is the pair (norm, class weight) of the shape, that is class and length, of the document. */
static inline float rr_bm25(float tf, float factor, const float* shape_weight) {
    return shape_weight[1] * factor * tf / (tf + shape_weight[0]);
}
/* Add the scores of one form to those of `count` documents; shape_weights has the pair of every shape. The SSE2 path
   computes rr_bm25() for four documents at a time, with bit-identical sums. */
static void rr_add_scores(const uint16_t* docs, const uint8_t* tfs, ptrdiff_t count, float form_weight, float factor,
                          const uint16_t* shapes, const float* shape_weights, float* scores) {
    ptrdiff_t k = 0;
#if defined(__SSE2__)
    const __m128 form_weights = _mm_set1_ps(form_weight), factors = _mm_set1_ps(factor);
    for (; k + 4 <= count; k += 4) {
        const uint16_t* doc = docs + k;
        __m128 low = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd((const double*)(shape_weights + 2 * shapes[doc[0]])),
                                                (const double*)(shape_weights + 2 * shapes[doc[1]])));
        __m128 high = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd((const double*)(shape_weights + 2 * shapes[doc[2]])),
                                                 (const double*)(shape_weights + 2 * shapes[doc[3]])));
        __m128 tf = _mm_mul_ps(form_weights, _mm_cvtepi32_ps(_mm_set_epi32(tfs[k + 3], tfs[k + 2], tfs[k + 1], tfs[k])));
        __m128 value = _mm_mul_ps(_mm_mul_ps(_mm_shuffle_ps(low, high, 0xdd), factors), tf);
        float values[4];
        value = _mm_div_ps(value, _mm_add_ps(tf, _mm_shuffle_ps(low, high, 0x88)));
        _mm_storeu_ps(values, _mm_and_ps(value, _mm_cmpgt_ps(tf, _mm_setzero_ps())));
        scores[doc[0]] += values[0];
        scores[doc[1]] += values[1];
        scores[doc[2]] += values[2];
        scores[doc[3]] += values[3];
    }
#endif
    for (; k < count; k++) {
        float tf = form_weight * tfs[k];
        if (tf > 0) scores[docs[k]] += rr_bm25(tf, factor, shape_weights + 2 * shapes[docs[k]]);
    }
}
/* rr_add_scores() for the last form of a word: tf includes the frequencies of other forms in `sums`, which are
   reset to 0. */
static void rr_add_scores_and_sums(const uint16_t* docs, const uint8_t* tfs, ptrdiff_t count, float form_weight,
                           float factor, const uint16_t* shapes, const float* shape_weights, float* scores,
                           float* sums) {
    for (ptrdiff_t k = 0; k < count; k++) {
        float tf = form_weight * tfs[k] + sums[docs[k]];
        sums[docs[k]] = 0;
        if (tf > 0) scores[docs[k]] += rr_bm25(tf, factor, shape_weights + 2 * shapes[docs[k]]);
    }
}
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

static uint8_t rr_lanes[256][8];  /* the indexes of the bits set in each byte value, ascending */
static void rr_fill_lanes(void) {
    for (int set = 0; set < 256; set++)
        for (int lane = 0, at = 0; lane < 8; lane++)
            if (set >> lane & 1) rr_lanes[set][at++] = (uint8_t)lane;
}
/* rr_collect_nonzero_scalar() with AVX2, eight scores at a time: eight elements behind the count are written. size % 8 == 0. */
__attribute__((target("avx2,popcnt")))
static ptrdiff_t rr_collect_nonzero_avx2(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                              ptrdiff_t count) {
    const __m256i zero = _mm256_setzero_si256();
    for (ptrdiff_t k = 0; k < size; k += 8) {
        __m256i found = _mm256_loadu_si256((const __m256i*)(scores + k)), lanes;
        unsigned set = 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(found, zero)));
        if (!set) continue;
        lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)rr_lanes[set]));
        _mm256_storeu_si256((__m256i*)(docs + count),
                            _mm256_add_epi32(_mm256_set1_epi32((int)(base + (uint32_t)k)), lanes));
        _mm256_storeu_si256((__m256i*)(values + count), _mm256_permutevar8x32_epi32(found, lanes));
        _mm256_storeu_si256((__m256i*)(scores + k), zero);
        count += __builtin_popcount(set);
    }
    return count;
}
static ptrdiff_t rr_collect_nonzero(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                         ptrdiff_t count, int use_simd) {
    return use_simd && __builtin_cpu_supports("avx2") ? rr_collect_nonzero_avx2(scores, size, base, docs, values, count)
                                                  : rr_collect_nonzero_scalar(scores, size, base, docs, values, count);
}
#else
static void rr_fill_lanes(void) {}
static ptrdiff_t rr_collect_nonzero(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                         ptrdiff_t count, int use_simd) {
    (void)use_simd;
    return rr_collect_nonzero_scalar(scores, size, base, docs, values, count);
}
#endif

#endif

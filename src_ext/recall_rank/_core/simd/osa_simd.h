/* Optimal string alignment (OSA) distances between one word and eight ASCII terms of equal length.

   Algorithm: Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances". One column of
   the distance matrix is two bit vectors: bit i of `plus` says that row i + 1 is one larger than row i, bit i of
   `minus` that it is one smaller. Each of the eight 32-bit lanes of an AVX2 register holds the column of one term. */
#ifndef RECALL_RANK_OSA_SIMD_H
#define RECALL_RANK_OSA_SIMD_H

#include <stddef.h>
#include <stdint.h>

/* Write the distances to edits[0..7].

   The terms begin at arena + starts[lane] and have `size` bytes each. The arena must be readable up to the next
   multiple of 4 behind every start. char_masks[c] has bit i set where the word has byte c at place i; it has 256 entries.
   The word has `length` letters, 1 to 32. Call only where rr_has_osa_x8() returns 1. */
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2")))
static void rr_osa_x8(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* char_masks,
        int length, uint32_t* edits) {
    const __m256i one = _mm256_set1_epi32(1), all = _mm256_set1_epi32(-1), byte = _mm256_set1_epi32(255);
    const __m128i last = _mm_cvtsi32_si128(length - 1);
    __m256i at = _mm256_loadu_si256((const __m256i*)starts), letters = all, distance = _mm256_set1_epi32(length);
    __m256i plus = all, minus = _mm256_setzero_si256();
    __m256i diagonal = minus;  /* bit i: the cell of row i + 1 equals its upper left neighbour */
    __m256i matches_before = minus;
    for (int k = 0; k < size; k++) {
        __m256i matches, swapped, right_plus, right_minus;
        if (k % 4 == 0) {  /* four letters of each term come in one gather */
            letters = _mm256_i32gather_epi32((const int*)arena, at, 1);
            at = _mm256_add_epi32(at, _mm256_set1_epi32(4));
        }
        matches = _mm256_i32gather_epi32((const int*)char_masks, _mm256_and_si256(letters, byte), 4);
        letters = _mm256_srli_epi32(letters, 8);
        /* a swap of two neighbours reaches over a diagonal step that was not free */
        swapped = _mm256_and_si256(_mm256_slli_epi32(_mm256_andnot_si256(diagonal, matches), 1), matches_before);
        diagonal = _mm256_xor_si256(_mm256_add_epi32(_mm256_and_si256(matches, plus), plus), plus);
        diagonal = _mm256_or_si256(_mm256_or_si256(diagonal, matches), _mm256_or_si256(minus, swapped));
        /* differences between this column and the column before, row by row; the last row gives the distance */
        right_plus = _mm256_or_si256(minus, _mm256_andnot_si256(_mm256_or_si256(diagonal, plus), all));
        right_minus = _mm256_and_si256(diagonal, plus);
        distance = _mm256_add_epi32(distance, _mm256_and_si256(_mm256_srl_epi32(right_plus, last), one));
        distance = _mm256_sub_epi32(distance, _mm256_and_si256(_mm256_srl_epi32(right_minus, last), one));
        right_plus = _mm256_or_si256(_mm256_slli_epi32(right_plus, 1), one);
        plus = _mm256_or_si256(_mm256_slli_epi32(right_minus, 1),
                               _mm256_andnot_si256(_mm256_or_si256(diagonal, right_plus), all));
        minus = _mm256_and_si256(right_plus, diagonal);
        matches_before = matches;
    }
    _mm256_storeu_si256((__m256i*)edits, distance);
}

static int rr_has_osa_x8(void) { return __builtin_cpu_supports("avx2"); }
#else
static void rr_osa_x8(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* char_masks,
        int length, uint32_t* edits) {
    (void)arena; (void)starts; (void)size; (void)char_masks; (void)length; (void)edits;
}

static int rr_has_osa_x8(void) { return 0; }
#endif

#endif

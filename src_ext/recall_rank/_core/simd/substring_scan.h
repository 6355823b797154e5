/* Substring search in UTF-8 text with ASCII letters folded to lower case, and counts of code points.

   The search compares two bytes of the needle, its rarest, with many places of the text at once (AVX2: 32 places,
   NEON: 16 places) and compares the whole needle only where both are found. Every function has a scalar version that
   gives equal answers; `use_simd` = 0 chooses it. */
#ifndef RECALL_RANK_SUBSTRING_SCAN_H
#define RECALL_RANK_SUBSTRING_SCAN_H

#include <stddef.h>

typedef struct {
    const unsigned char* bytes;             /* borrowed; ASCII letters in lower case */
    ptrdiff_t size;                         /* at least 1 */
    ptrdiff_t first, second;                /* places of its two rarest bytes; equal only where size is 1 */
    unsigned char fold_first, fold_second;  /* 0x20 where the byte at that place is a letter, else 0 */
} rr_needle;

static inline int rr_is_lowercase(unsigned char c) { return c >= 'a' && c <= 'z'; }

/* Whether the needle stands at `at`, of which `size` bytes must be readable. */
static inline int rr_matches_at(const rr_needle* n, const unsigned char* at) {
    for (ptrdiff_t k = 0; k < n->size; k++) {
        unsigned char c = n->bytes[k];
        if ((rr_is_lowercase(c) ? (unsigned char)(at[k] | 0x20) : at[k]) != c) return 0;
    }
    return 1;
}

/* Return the offset of the first occurrence in text[from:size], or -1. */
static ptrdiff_t rr_find_scalar(const rr_needle* n, const unsigned char* text, ptrdiff_t from, ptrdiff_t size) {
    unsigned char a = n->bytes[n->first], b = n->bytes[n->second];
    for (ptrdiff_t at = from; at + n->size <= size; at++)
        if ((unsigned char)(text[at + n->first] | n->fold_first) == a
            && (unsigned char)(text[at + n->second] | n->fold_second) == b && rr_matches_at(n, text + at))
            return at;
    return -1;
}

/* Count the code points that begin in text[from:size]: every byte but the continuation bytes 10xxxxxx. */
static ptrdiff_t rr_count_code_points_scalar(const unsigned char* text, ptrdiff_t from, ptrdiff_t size) {
    ptrdiff_t found = 0;
    for (; from < size; from++) found += (text[from] & 0xC0) != 0x80;
    return found;
}

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>
__attribute__((target("avx2")))
static ptrdiff_t rr_count_code_points_avx2(const unsigned char* text, ptrdiff_t from, ptrdiff_t size) {
    const __m256i last = _mm256_set1_epi8((char)0xBF), zero = _mm256_setzero_si256();
    ptrdiff_t found = 0;
    while (from + 32 <= size) {
        __m256i sums = zero;  /* one counter a byte lane, 255 at most */
        for (int k = 0; k < 255 && from + 32 <= size; k++, from += 32) {
            __m256i bytes = _mm256_loadu_si256((const __m256i*)(text + from));
            /* as signed bytes, 0x80 to 0xBF are the least; a comparison that holds gives -1 */
            sums = _mm256_sub_epi8(sums, _mm256_cmpgt_epi8(bytes, last));
        }
        sums = _mm256_sad_epu8(sums, zero);
        found += _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1)
               + _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3);
    }
    return found + rr_count_code_points_scalar(text, from, size);
}

static ptrdiff_t rr_count_code_points(const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    return use_simd && __builtin_cpu_supports("avx2") ? rr_count_code_points_avx2(text, from, size)
                                                      : rr_count_code_points_scalar(text, from, size);
}

__attribute__((target("avx2")))
static ptrdiff_t rr_find_avx2(const rr_needle* n, const unsigned char* text, ptrdiff_t from, ptrdiff_t size) {
    const __m256i a = _mm256_set1_epi8((char)n->bytes[n->first]), b = _mm256_set1_epi8((char)n->bytes[n->second]);
    const __m256i fold_a = _mm256_set1_epi8((char)n->fold_first), fold_b = _mm256_set1_epi8((char)n->fold_second);
    ptrdiff_t at = from;
    for (; at + n->size + 31 <= size; at += 32) {
        __m256i left = _mm256_loadu_si256((const __m256i*)(text + at + n->first));
        __m256i right = _mm256_loadu_si256((const __m256i*)(text + at + n->second));
        left = _mm256_cmpeq_epi8(_mm256_or_si256(left, fold_a), a);
        right = _mm256_cmpeq_epi8(_mm256_or_si256(right, fold_b), b);
        unsigned places = (unsigned)_mm256_movemask_epi8(_mm256_and_si256(left, right));
        while (places) {
            ptrdiff_t place = at + __builtin_ctz(places);
            if (rr_matches_at(n, text + place)) return place;
            places &= places - 1;
        }
    }
    return rr_find_scalar(n, text, at, size);
}

static ptrdiff_t rr_find(const rr_needle* n, const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    return use_simd && __builtin_cpu_supports("avx2") ? rr_find_avx2(n, text, from, size)
                                                      : rr_find_scalar(n, text, from, size);
}
#elif defined(__aarch64__)
#include <arm_neon.h>
static ptrdiff_t rr_count_code_points(const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    (void)use_simd;
    return rr_count_code_points_scalar(text, from, size);
}

static ptrdiff_t rr_find(const rr_needle* n, const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    const uint8x16_t a = vdupq_n_u8(n->bytes[n->first]), b = vdupq_n_u8(n->bytes[n->second]);
    const uint8x16_t fold_a = vdupq_n_u8(n->fold_first), fold_b = vdupq_n_u8(n->fold_second);
    ptrdiff_t at = from;
    if (use_simd)
        for (; at + n->size + 15 <= size; at += 16) {
            uint8x16_t left = vceqq_u8(vorrq_u8(vld1q_u8(text + at + n->first), fold_a), a);
            uint8x16_t right = vceqq_u8(vorrq_u8(vld1q_u8(text + at + n->second), fold_b), b);
            uint8x16_t both = vandq_u8(left, right);
            if (vmaxvq_u8(both))
                for (int k = 0; k < 16; k++)
                    if (rr_matches_at(n, text + at + k)) return at + k;
        }
    return rr_find_scalar(n, text, at, size);
}
#else
static ptrdiff_t rr_count_code_points(const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    (void)use_simd;
    return rr_count_code_points_scalar(text, from, size);
}

static ptrdiff_t rr_find(const rr_needle* n, const unsigned char* text, ptrdiff_t from, ptrdiff_t size, int use_simd) {
    (void)use_simd;
    return rr_find_scalar(n, text, from, size);
}
#endif

#endif

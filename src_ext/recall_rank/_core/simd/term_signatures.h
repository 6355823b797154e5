/* Sieve terms by signature (u32, one bit a letter class): which can be within an edit distance of a word. */
#ifndef RECALL_RANK_TERM_SIGNATURES_H
#define RECALL_RANK_TERM_SIGNATURES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define rr_popcount32(x) __builtin_popcount(x)
#else
static inline int rr_popcount32(unsigned x) {
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    return (int)((((x + (x >> 4)) & 0x0F0F0F0Fu) * 0x01010101u) >> 24);
}
#endif
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#define RR_POPCNT __attribute__((target("popcnt")))
static int rr_has_popcnt(void) { return __builtin_cpu_supports("popcnt"); }
#else
#define RR_POPCNT
static int rr_has_popcnt(void) { return 1; }
#endif
/* Numbers of the terms [first, last) whose signature lacks at most `less` bits of `wanted` and has at most `more` bits
   besides: k edits change no more. Writes at most `room` numbers; *next is the first term not looked at. */
#define RR_IS_NEAR(own) (rr_popcount32(wanted & ~(own)) <= less && rr_popcount32((own) & ~wanted) <= more)
#define RR_SIEVE_BODY \
    ptrdiff_t found = 0; \
    for (; first < last && found < room; first++) \
        if (RR_IS_NEAR(signatures[first])) \
            out[found++] = (uint32_t)first; \
    *next = first; \
    return found;
RR_POPCNT static ptrdiff_t rr_sieve_fast(const uint32_t* signatures, ptrdiff_t first, ptrdiff_t last,
        uint32_t wanted, int less, int more, uint32_t* out, ptrdiff_t room, ptrdiff_t* next) { RR_SIEVE_BODY }
static ptrdiff_t rr_sieve_plain(const uint32_t* signatures, ptrdiff_t first, ptrdiff_t last,
        uint32_t wanted, int less, int more, uint32_t* out, ptrdiff_t room, ptrdiff_t* next) { RR_SIEVE_BODY }
#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <immintrin.h>

/* Population count of eight u32, by table look-up of every half byte. */
__attribute__((target("avx2")))
static inline __m256i rr_bits(__m256i numbers) {
    const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15), one = _mm256_set1_epi8(1), ones = _mm256_set1_epi16(1);
    __m256i sums = _mm256_add_epi8(
        _mm256_shuffle_epi8(counts, _mm256_and_si256(numbers, low)),
        _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(numbers, 4), low)));
    return _mm256_madd_epi16(_mm256_maddubs_epi16(sums, one), ones);
}
/* Sixteen terms at a time by the number of bits that differ; the few that pass are compared one by one. */
__attribute__((target("avx2,popcnt")))
static ptrdiff_t rr_sieve_wide(const uint32_t* signatures, ptrdiff_t first, ptrdiff_t last,
        uint32_t wanted, int less, int more, uint32_t* out, ptrdiff_t room, ptrdiff_t* next) {
    const __m256i same = _mm256_set1_epi32((int)wanted), most = _mm256_set1_epi32(less + more);
    ptrdiff_t found = 0;
    for (; first + 16 <= last && found + 16 <= room; first += 16) {
        const __m256i* own = (const __m256i*)(signatures + first);
        __m256i one = rr_bits(_mm256_xor_si256(_mm256_loadu_si256(own), same));
        __m256i two = rr_bits(_mm256_xor_si256(_mm256_loadu_si256(own + 1), same));
        unsigned far = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(one, most)))
            | (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(two, most))) << 8;
        for (unsigned near = far ^ 0xFFFF; near; near &= near - 1) {
            ptrdiff_t at = first + __builtin_ctz(near);
            if (RR_IS_NEAR(signatures[at])) out[found++] = (uint32_t)at;
        }
    }
    *next = first;
    if (first + 16 <= last) return found;  /* `room` is too small for sixteen more */
    return found + rr_sieve_fast(
        signatures, first, last, wanted, less, more, out + found, room - found, next);
}
static int rr_has_avx2(void) { return __builtin_cpu_supports("avx2") && rr_has_popcnt(); }
#else
#define rr_sieve_wide rr_sieve_plain
static int rr_has_avx2(void) { return 0; }
#endif
static ptrdiff_t rr_sieve(const uint32_t* signatures, ptrdiff_t first, ptrdiff_t last, uint32_t wanted,
        int less, int more, uint32_t* out, ptrdiff_t room, ptrdiff_t* next, int wide) {
    return wide && rr_has_avx2() ? rr_sieve_wide(signatures, first, last, wanted, less, more, out, room, next)
         : rr_has_popcnt() ? rr_sieve_fast(signatures, first, last, wanted, less, more, out, room, next)
                           : rr_sieve_plain(signatures, first, last, wanted, less, more, out, room, next);
}

#endif

# The edits between a word and eight ASCII terms of one length at once.

from libc.stdint cimport uint32_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>

    /* Optimal string alignment by bits (Hyyro 2003, "A bit-vector algorithm for computing Levenshtein and Damerau edit
       distances"), one term a lane: places[letter] has a bit for each place of a letter in the word, which has `length`
       letters, 1 to 32. The terms begin at arena + starts[lane] and have `size` bytes; as many can be read behind
       each as make `size` a multiple of 4. */
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #include <immintrin.h>

    __attribute__((target("avx2")))
    static void rr_edits_of_eight(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* places,
            int length, uint32_t* edits) {
        const __m256i one = _mm256_set1_epi32(1), all = _mm256_set1_epi32(-1), byte = _mm256_set1_epi32(255);
        const __m128i last = _mm_cvtsi32_si128(length - 1);
        __m256i at = _mm256_loadu_si256((const __m256i*)starts), letters = all, distance = _mm256_set1_epi32(length);
        __m256i more = all, less = _mm256_setzero_si256(), same = less, here_before = less;
        for (int k = 0; k < size; k++) {
            __m256i here, swapped, up, down;
            if (k % 4 == 0) {
                letters = _mm256_i32gather_epi32((const int*)arena, at, 1);
                at = _mm256_add_epi32(at, _mm256_set1_epi32(4));
            }
            here = _mm256_i32gather_epi32((const int*)places, _mm256_and_si256(letters, byte), 4);
            letters = _mm256_srli_epi32(letters, 8);
            swapped = _mm256_and_si256(_mm256_slli_epi32(_mm256_andnot_si256(same, here), 1), here_before);
            same = _mm256_xor_si256(_mm256_add_epi32(_mm256_and_si256(here, more), more), more);
            same = _mm256_or_si256(_mm256_or_si256(same, here), _mm256_or_si256(less, swapped));
            up = _mm256_or_si256(less, _mm256_andnot_si256(_mm256_or_si256(same, more), all));
            down = _mm256_and_si256(same, more);
            distance = _mm256_add_epi32(distance, _mm256_and_si256(_mm256_srl_epi32(up, last), one));
            distance = _mm256_sub_epi32(distance, _mm256_and_si256(_mm256_srl_epi32(down, last), one));
            up = _mm256_or_si256(_mm256_slli_epi32(up, 1), one);
            more = _mm256_or_si256(_mm256_slli_epi32(down, 1), _mm256_andnot_si256(_mm256_or_si256(same, up), all));
            less = _mm256_and_si256(up, same);
            here_before = here;
        }
        _mm256_storeu_si256((__m256i*)edits, distance);
    }
    static int rr_can_take_eight(void) { return __builtin_cpu_supports("avx2"); }
    #else
    static void rr_edits_of_eight(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* places,
            int length, uint32_t* edits) {
        (void)arena; (void)starts; (void)size; (void)places; (void)length; (void)edits;
    }
    static int rr_can_take_eight(void) { return 0; }
    #endif
    """
    void rr_edits_of_eight(const unsigned char* arena, const uint32_t* starts, int size, const uint32_t* places,
                           int length, uint32_t* edits) noexcept nogil
    bint rr_can_take_eight() noexcept nogil

/* Runs of lower-case ASCII letters: their end, and a lower-case copy, 16 or 8 bytes at a time. */
#ifndef RECALL_RANK_ASCII_WORDS_H
#define RECALL_RANK_ASCII_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
#include <emmintrin.h>
#endif

#if defined(_WIN32) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define RR_LITTLE_ENDIAN 1
#endif
/* A 64-bit word that holds one value in each of its bytes. */
#define RR_REPEAT(byte) (0x0101010101010101ULL * (byte))

/* Return the offset behind the run of a-z that begins at `at` in text[0:size]; `at` itself where no letter stands. */
static inline ptrdiff_t rr_lowercase_end(const unsigned char* text, ptrdiff_t at, ptrdiff_t size) {
#if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
    for (; at + 16 <= size; at += 16) {
        /* the sum wraps: a-z become the 26 lowest signed bytes, so one comparison finds them */
        __m128i bytes = _mm_loadu_si128((const __m128i*)(text + at));
        __m128i moved = _mm_add_epi8(bytes, _mm_set1_epi8((char)(0x80 - 'a')));
        unsigned others = ~(unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(moved, _mm_set1_epi8(26 - 128))) & 0xFFFF;
        if (others) return at + __builtin_ctz(others);
    }
#endif
#if defined(RR_LITTLE_ENDIAN) && (defined(__GNUC__) || defined(__clang__))
    for (; at + 8 <= size; at += 8) {
        uint64_t word, low, others;
        memcpy(&word, text + at, 8);
        low = word & RR_REPEAT(0x7F);
        /* the top bit of a byte is set where it is below a, above z, or not ASCII */
        others = (~(low + RR_REPEAT(0x80 - 'a')) | (low + RR_REPEAT(0x7F - 'z')) | word) & RR_REPEAT(0x80);
        if (others) return at + (__builtin_ctzll(others) >> 3);
    }
#endif
    while (at < size && text[at] >= 'a' && text[at] <= 'z') at++;
    return at;
}

/* Copy a word of `length` ASCII letters, of which only the first may be a capital, in lower case.

   `to` is filled with zeros up to a multiple of 8 bytes; `readable` bytes, at least `length`, may be read at `from`.
   A word of digits stays as it is: bit 0x20 is set in every digit. */
static inline void rr_copy_lowercase(unsigned char* to, const unsigned char* from, ptrdiff_t length,
                                     ptrdiff_t readable) {
    ptrdiff_t k;
    for (k = 0; k < length; k += 8) {
        uint64_t word = 0;
#if defined(RR_LITTLE_ENDIAN)
        if (k + 8 <= readable) {
            memcpy(&word, from + k, 8);
            if (k + 8 > length) word &= ~0ULL >> (8 * (k + 8 - length));
        } else
#endif
            memcpy(&word, from + k, (size_t)(length - k < 8 ? length - k : 8));
        memcpy(to + k, &word, 8);
    }
    to[0] |= 0x20;
}

#endif

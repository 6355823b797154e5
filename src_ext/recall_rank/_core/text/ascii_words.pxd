# The commonest words by far need none of the rules: ASCII letters, small but for the first, between plain separators.

from libc.stddef cimport ptrdiff_t

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
    #include <emmintrin.h>
    #endif

    #if defined(_WIN32) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
    #define RR_LITTLE 1
    #endif
    #define RR_EACH(byte) (0x0101010101010101ULL * (byte))

    /* The end of the run of a-z that begins at `at`, 16 or 8 bytes at a time. */
    static inline ptrdiff_t rr_small_run(const unsigned char* text, ptrdiff_t at, ptrdiff_t size) {
    #if defined(__SSE2__) && (defined(__GNUC__) || defined(__clang__))
        for (; at + 16 <= size; at += 16) {
            /* a-z become the 26 lowest of the signed numbers */
            __m128i some = _mm_loadu_si128((const __m128i*)(text + at));
            __m128i moved = _mm_add_epi8(some, _mm_set1_epi8((char)(0x80 - 'a')));
            unsigned others = ~(unsigned)_mm_movemask_epi8(_mm_cmplt_epi8(moved, _mm_set1_epi8(26 - 128))) & 0xFFFF;
            if (others) return at + __builtin_ctz(others);
        }
    #endif
    #if defined(RR_LITTLE) && (defined(__GNUC__) || defined(__clang__))
        for (; at + 8 <= size; at += 8) {
            uint64_t word, low, others;
            memcpy(&word, text + at, 8);
            low = word & RR_EACH(0x7F);
            /* the top bit of a byte: below a, above z, or not ASCII */
            others = (~(low + RR_EACH(0x80 - 'a')) | (low + RR_EACH(0x7F - 'z')) | word) & RR_EACH(0x80);
            if (others) return at + (__builtin_ctzll(others) >> 3);
        }
    #endif
        while (at < size && text[at] >= 'a' && text[at] <= 'z') at++;
        return at;
    }

    /* Write `length` letters in small, zero-padded to a multiple of 8 bytes; `left` bytes can be read at `from`. */
    static inline void rr_write_small(unsigned char* to, const unsigned char* from, ptrdiff_t length, ptrdiff_t left) {
        ptrdiff_t k;
        for (k = 0; k < length; k += 8) {
            uint64_t word = 0;
    #if defined(RR_LITTLE)
            if (k + 8 <= left) {
                memcpy(&word, from + k, 8);
                if (k + 8 > length) word &= ~0ULL >> (8 * (k + 8 - length));
            } else
    #endif
                memcpy(&word, from + k, (size_t)(length - k < 8 ? length - k : 8));
            memcpy(to + k, &word, 8);
        }
        to[0] |= 0x20;
    }
    """
    ptrdiff_t rr_small_run(const unsigned char* text, ptrdiff_t at, ptrdiff_t size) noexcept nogil
    void rr_write_small(unsigned char* to, const unsigned char* text, ptrdiff_t length, ptrdiff_t left) noexcept nogil

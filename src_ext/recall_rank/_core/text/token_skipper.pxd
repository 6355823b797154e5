# Most words of a text are not looked for. They are passed over 64 bytes at a time, and only counted.

from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from recall_rank._core.runtime.bits cimport ones
from recall_rank._core.text.token_buffer cimport TokenBuffer, may_be_wanted, may_begin

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    static inline int rr_lowest(uint64_t bits) { unsigned long k; _BitScanForward64(&k, bits); return (int)k; }
    static inline int rr_highest(uint64_t bits) { unsigned long k; _BitScanReverse64(&k, bits); return (int)k; }
    #else
    static inline int rr_lowest(uint64_t bits) { return __builtin_ctzll(bits); }
    static inline int rr_highest(uint64_t bits) { return 63 - __builtin_clzll(bits); }
    #endif

    /* Bit k is of byte k: A-Z and a-z; a-z; 0-9; what joins pieces, _ - and .; signs that may belong to a word, # % +
       and '; what is not ASCII. */
    typedef struct { uint64_t letters, small, digits, joins, odd, wide; } rr_block;
    #define RR_LETTERS(bytes) RR_FROM(RR_OR(bytes, RR_ALL(0x20)), 'a', 26)
    #define RR_SMALL(bytes) RR_FROM(bytes, 'a', 26)
    #define RR_DIGITS(bytes) RR_FROM(bytes, '0', 10)
    #define RR_JOINS(bytes) RR_OR(RR_FROM(bytes, '-', 2), RR_IS(bytes, '_'))
    #define RR_ODD(bytes) RR_OR(RR_OR(RR_IS(bytes, '#'), RR_IS(bytes, '%')), RR_OR(RR_IS(bytes, '+'), RR_IS(bytes, 39)))
    #define RR_PUT_ALL RR_PUT(RR_LETTERS, letters); RR_PUT(RR_SMALL, small); RR_PUT(RR_DIGITS, digits); \\
        RR_PUT(RR_JOINS, joins); RR_PUT(RR_ODD, odd); RR_PUT(RR_WIDE, wide)

    /* Eight bytes at a time; a mask has the topmost bit of each. */
    #define RR_ALL(byte) (0x0101010101010101ULL * (byte))
    #define RR_OR(one, other) ((one) | (other))
    #define RR_FROM(bytes, first, count) (~(bytes) & (((bytes) & RR_ALL(0x7F)) + RR_ALL(0x80 - (first))) \\
        & ~(((bytes) & RR_ALL(0x7F)) + RR_ALL(0x80 - (first) - (count))))
    #define RR_IS(bytes, sign) RR_FROM(bytes, sign, 1)
    #define RR_WIDE(bytes) (bytes)
    #define RR_PUT(mask, where) block->where |= ((mask(some) >> 7 & RR_ALL(1)) * 0x0102040810204080ULL >> 56) << at
    static inline void rr_look_plain(const unsigned char* text, rr_block* block) {
        memset(block, 0, sizeof(rr_block));
        for (int at = 0; at < 64; at += 8) {
            uint64_t some = 0;
            for (int k = 0; k < 8; k++) some |= (uint64_t)text[at + k] << 8 * k;
            RR_PUT_ALL;
        }
    }
    #undef RR_ALL
    #undef RR_OR
    #undef RR_FROM
    #undef RR_IS
    #undef RR_WIDE
    #undef RR_PUT

    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #include <immintrin.h>
    #define RR_ALL(byte) _mm256_set1_epi8((char)(byte))
    #define RR_OR(one, other) _mm256_or_si256(one, other)
    /* they become the highest of the signed numbers */
    #define RR_FROM(bytes, first, count) \\
        _mm256_cmpgt_epi8(_mm256_add_epi8(bytes, RR_ALL(0x80 - (first) - (count))), RR_ALL(0x7F - (count)))
    #define RR_IS(bytes, sign) _mm256_cmpeq_epi8(bytes, RR_ALL(sign))
    #define RR_WIDE(bytes) (bytes)
    #define RR_PUT(mask, where) block->where = (uint32_t)_mm256_movemask_epi8(mask(low)) \\
        | (uint64_t)(uint32_t)_mm256_movemask_epi8(mask(high)) << 32
    __attribute__((target("avx2")))
    static void rr_look_wide(const unsigned char* text, rr_block* block) {
        const __m256i low = _mm256_loadu_si256((const __m256i*)text);
        const __m256i high = _mm256_loadu_si256((const __m256i*)(text + 32));
        RR_PUT_ALL;
    }
    static inline int rr_can_look_wide(void) { return __builtin_cpu_supports("avx2"); }
    #elif defined(__AARCH64EL__) && !defined(_MSC_VER)
    #include <arm_neon.h>
    #define RR_ALL(byte) vdupq_n_u8(byte)
    #define RR_OR(one, other) vorrq_u8(one, other)
    #define RR_FROM(bytes, first, count) vcltq_u8(vsubq_u8(bytes, RR_ALL(first)), RR_ALL(count))
    #define RR_IS(bytes, sign) vceqq_u8(bytes, RR_ALL(sign))
    #define RR_WIDE(bytes) vcgeq_u8(bytes, RR_ALL(0x80))
    #define RR_PUT(mask, where) block->where = rr_bits(mask(parts.val[0]), mask(parts.val[1]), mask(parts.val[2]), \\
                                                       mask(parts.val[3]))
    /* A bit of each byte, all or none of whose bits are set. */
    static inline uint64_t rr_bits(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
        const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201ULL));
        a = vpaddq_u8(vandq_u8(a, place), vandq_u8(b, place));
        c = vpaddq_u8(vandq_u8(c, place), vandq_u8(d, place));
        a = vpaddq_u8(a, c);
        return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(a, a)), 0);
    }
    static inline void rr_look_wide(const unsigned char* text, rr_block* block) {
        const uint8x16x4_t parts = {{vld1q_u8(text), vld1q_u8(text + 16), vld1q_u8(text + 32), vld1q_u8(text + 48)}};
        RR_PUT_ALL;
    }
    static inline int rr_can_look_wide(void) { return 1; }
    #else
    #define rr_look_wide rr_look_plain
    static inline int rr_can_look_wide(void) { return 0; }
    #endif
    #undef RR_ALL
    #undef RR_OR
    #undef RR_FROM
    #undef RR_IS
    #undef RR_WIDE
    #undef RR_PUT

    static inline void rr_look(const unsigned char* text, rr_block* block, int wide) {
        if (wide && rr_can_look_wide()) rr_look_wide(text, block);
        else rr_look_plain(text, block);
    }
    """
    ctypedef struct rr_block:
        uint64_t letters
        uint64_t small
        uint64_t digits
        uint64_t joins
        uint64_t odd
        uint64_t wide
    int rr_lowest(uint64_t bits) noexcept nogil
    int rr_highest(uint64_t bits) noexcept nogil
    void rr_look(const unsigned char* text, rr_block* block, bint wide) noexcept nogil


cdef inline uint64_t below(int k) noexcept nogil:
    """The bits in front of bit k < 64."""
    return (<uint64_t>1 << k) - 1


cdef inline uint64_t with_signs(const unsigned char* text, const rr_block* block, bint behind_hash) noexcept nogil:
    """What stands beside a sign that may belong to it: it's, c++, c#, 100%, #4410."""
    cdef uint64_t words = block.letters | block.digits
    cdef uint64_t left = (block.odd >> 1 & words) | (block.odd << 1 & block.digits)
    cdef uint64_t found = block.digits & behind_hash
    cdef int k
    while left:
        k = rr_lowest(left)
        left &= left - 1
        if block.odd >> k >> 1 & 1 and (text[k + 1] != c"'" or (words | block.wide) >> k >> 2 & 1):
            found |= <uint64_t>1 << k
        elif k and text[k - 1] == c'#' and block.digits >> k & 1:
            found |= <uint64_t>1 << k
    return found


cdef inline uint64_t not_plain(const unsigned char* text, const rr_block* block, bint behind_hash) noexcept nogil:
    """What is not cut at separators and before capitals alone: other scripts, letters beside digits, small letters
    behind several capitals, signs."""
    cdef uint64_t big = block.letters & ~block.small
    cdef uint64_t found = block.wide | (block.digits & block.letters << 1) | (block.letters & block.digits << 1)
    found |= block.small & big << 1 & big << 2
    return found | with_signs(text, block, behind_hash) if block.odd or behind_hash else found


cdef inline bint may_be_any(const TokenBuffer* out, const unsigned char* text, int at, uint64_t ends,
                            uint64_t linked) noexcept nogil:
    """Whether the piece at `at`, or pieces joined from there on, may be a form that is looked for.

    ends: what ends a piece in front of it; linked: what joins pieces, or is a capital behind a small letter.
    """
    cdef int end = at + 1 + rr_lowest(ends >> at >> 1)
    if end == at + 1:
        return linked >> end & 1 or may_be_wanted(out, text[at], text[at], 1)
    if not may_begin(out, text[at], text[at + 1]):
        return False
    cdef bint alone = not (linked >> at | linked << 1 >> at | linked >> end) & 1
    return not alone or may_be_wanted(out, text[at], text[end - 1], end - at)


cdef inline Py_ssize_t pass_unwanted(const unsigned char* text, Py_ssize_t size, Py_ssize_t at,
                                     TokenBuffer* out) noexcept nogil:
    """Count the words from `at` on that are not wanted; the offset of the first that may be, or that needs a closer
    look. Of a compound that is where it begins. No word may go on at `at`.
    """
    cdef unsigned char last[64]
    cdef const unsigned char* data
    cdef rr_block block
    cdef uint64_t words, starts, ends, linked, outside, closer, left
    cdef int stop, behind
    while at < size:
        data = text + at
        if size - at < 64:
            memset(last, c' ', 64)
            memcpy(last, data, size - at)
            data = last
        rr_look(data, &block, True)
        words = block.letters | block.digits
        starts = (words & ~(words << 1)) | (block.letters & ~block.small & block.small << 1)
        ends = ~words | starts
        linked = (starts & words << 1) | (block.joins & words << 1 & words >> 1)
        outside = ~(words | block.joins | block.odd | block.wide)
        if outside == 0:
            break
        behind = rr_highest(outside)  # what comes then may go on in the next block
        closer = not_plain(data, &block, at > 0 and text[at - 1] == c'#') & below(behind)
        stop = rr_lowest(closer) if closer else behind
        left = starts & below(stop)
        while left:
            if may_be_any(out, data, rr_lowest(left), ends, linked):
                stop = rr_lowest(left)
                closer = left
                break
            left &= left - 1
        if closer:
            outside &= below(stop)
            left = starts & ~below(rr_highest(outside)) if outside else starts
            if left and rr_lowest(left) < stop:
                stop = rr_lowest(left)
            out.words += ones(starts & below(stop))
            return at + stop
        out.words += ones(starts & below(behind))
        at = min(at + behind + 1, size)
    return at

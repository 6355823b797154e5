"""The sorted vocabulary of a segment: exact, prefix and bounded-edit look-ups.

Terms are sorted by their number of code points, then by bytes, so a length is one range, a prefix is one
range in each length, and a term's number is its place. A 32-bit letter signature a term makes the edit
search a lossless popcount filter: one edit flips at most two bits.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memcmp

from recall_rank._core.buffer cimport MAX_TERM
from recall_rank._core.edit cimport osa_within
from recall_rank._core.utf8 cimport decode

cdef extern from *:
    """
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
    /* Numbers of the terms in [first, last) whose signature differs in at most `bits` bits; at most `room`. */
    #define RR_FILTER_BODY \
        Py_ssize_t found = 0; \
        for (; first < last && found < room; first++) \
            if (rr_popcount32(signatures[first] ^ wanted) <= bits) out[found++] = (uint32_t)first; \
        *next = first; \
        return found;
    RR_POPCNT static Py_ssize_t rr_filter_fast(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last,
            uint32_t wanted, int bits, uint32_t* out, Py_ssize_t room, Py_ssize_t* next) { RR_FILTER_BODY }
    static Py_ssize_t rr_filter_plain(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last,
            uint32_t wanted, int bits, uint32_t* out, Py_ssize_t room, Py_ssize_t* next) { RR_FILTER_BODY }
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #include <immintrin.h>

    /* Eight at a time: bits are counted by looking up each half of a byte. */
    __attribute__((target("avx2")))
    static Py_ssize_t rr_filter_wide(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last,
            uint32_t wanted, int bits, uint32_t* out, Py_ssize_t room, Py_ssize_t* next) {
        const __m256i counts = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(15), one = _mm256_set1_epi8(1), ones = _mm256_set1_epi16(1);
        const __m256i same = _mm256_set1_epi32((int)wanted), most = _mm256_set1_epi32(bits);
        Py_ssize_t found = 0;
        for (; first + 8 <= last && found + 8 <= room; first += 8) {
            __m256i other = _mm256_xor_si256(_mm256_loadu_si256((const __m256i*)(signatures + first)), same);
            __m256i sums = _mm256_add_epi8(
                _mm256_shuffle_epi8(counts, _mm256_and_si256(other, low)),
                _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16(other, 4), low)));
            sums = _mm256_madd_epi16(_mm256_maddubs_epi16(sums, one), ones);
            unsigned near = 255u & ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(sums, most)));
            while (near) {
                out[found++] = (uint32_t)(first + __builtin_ctz(near));
                near &= near - 1;
            }
        }
        *next = first;
        if (first + 8 <= last) return found;  /* no room for eight more */
        return found + rr_filter_plain(signatures, first, last, wanted, bits, out + found, room - found, next);
    }
    static int rr_has_avx2(void) { return __builtin_cpu_supports("avx2"); }
    #else
    #define rr_filter_wide rr_filter_plain
    static int rr_has_avx2(void) { return 0; }
    #endif
    static Py_ssize_t rr_filter(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last, uint32_t wanted,
            int bits, uint32_t* out, Py_ssize_t room, Py_ssize_t* next, int wide) {
        return wide && rr_has_avx2() ? rr_filter_wide(signatures, first, last, wanted, bits, out, room, next)
             : rr_has_popcnt() ? rr_filter_fast(signatures, first, last, wanted, bits, out, room, next)
                               : rr_filter_plain(signatures, first, last, wanted, bits, out, room, next);
    }
    """
    Py_ssize_t rr_filter(const uint32_t* signatures, Py_ssize_t first, Py_ssize_t last, uint32_t wanted, int bits,
                         uint32_t* out, Py_ssize_t room, Py_ssize_t* next, bint wide) noexcept nogil

cdef enum:
    LENGTHS = MAX_TERM + 2
    CHUNK = 512


cdef uint32_t signature(const uint32_t* points, int size) noexcept nogil:
    """One bit a letter a-z, four bits shared by the digits, two by all else: one bit a code point."""
    cdef uint32_t bits = 0, point
    cdef int k
    for k in range(size):
        point = points[k]
        if 0x61 <= point <= 0x7A:
            bits |= <uint32_t>1 << (point - 0x61)
        elif 0x30 <= point <= 0x39:
            bits |= <uint32_t>1 << (26 + (point & 3))
        else:
            bits |= <uint32_t>1 << (30 + (point & 1))
    return bits


cdef int to_points(const unsigned char* form, Py_ssize_t size, uint32_t* points) noexcept nogil:
    """Decode a form of at most MAX_TERM bytes; the number of code points."""
    cdef Py_ssize_t at = 0
    cdef int count = 0
    while at < size:
        at += decode(form, size, at, points + count)
        count += 1
    return count


cdef class Vocabulary:
    """Look-ups over borrowed buffers: arena u8[bytes], offsets u32[terms + 1], starts u32[66], signatures u32[terms].

    starts[n] is the number of the first term of n or more code points. The buffers must not change. Raises ValueError
    when one of them would lead outside another.
    """

    # not __init__: it could run twice, and leave addresses of the first buffers behind
    def __cinit__(self, arena not None, offsets not None, starts not None, signatures not None):
        cdef Py_ssize_t k
        cdef bint good = True
        self.families = {}
        self.arena_buffer = arena
        self.offsets_buffer = offsets
        self.starts_buffer = starts
        self.signatures_buffer = signatures
        self.arena_view = arena
        self.offsets_view = offsets
        self.starts_view = starts
        self.signatures_view = signatures
        self.size = self.signatures_view.shape[0]
        if self.offsets_view.shape[0] != self.size + 1 or self.starts_view.shape[0] != LENGTHS:
            raise ValueError("the vocabulary's buffers do not fit together")
        if (self.offsets_view[0] != 0 or self.offsets_view[self.size] != self.arena_view.shape[0]
                or self.starts_view[0] != 0 or self.starts_view[LENGTHS - 1] != self.size):
            raise ValueError("the vocabulary's buffers do not fit together")
        with nogil:
            for k in range(LENGTHS - 1):
                good = good and self.starts_view[k] <= self.starts_view[k + 1]
        if not good:
            raise ValueError("the vocabulary's lengths are out of order")
        with nogil:
            for k in range(self.size):
                # a term has 1 to MAX_TERM bytes: look-ups read its first and unpack it into arrays of that size
                good = good and self.offsets_view[k] < self.offsets_view[k + 1]
                good = good and self.offsets_view[k + 1] - self.offsets_view[k] <= MAX_TERM
        if not good:
            raise ValueError(f"the vocabulary's offsets are out of order, or a term has more than {MAX_TERM} bytes")
        if self.size:
            self.arena = &self.arena_view[0]
            self.signatures = &self.signatures_view[0]
        self.offsets = &self.offsets_view[0]
        self.starts = &self.starts_view[0]

    def __len__(self):
        return self.size

    cdef Py_ssize_t locate(self, const unsigned char* form, Py_ssize_t size, uint32_t first, uint32_t last,
                           bint after) noexcept nogil:
        """First term in [first, last) not below `form` as a prefix; with `after`, the first above all it begins."""
        cdef uint32_t middle
        cdef Py_ssize_t length, shared
        cdef int order
        while first < last:
            middle = first + (last - first) // 2
            length = self.offsets[middle + 1] - self.offsets[middle]
            shared = size if size < length else length
            order = memcmp(self.arena + self.offsets[middle], form, shared)
            if order == 0 and length < size:
                order = -1
            if order < 0 or (after and order == 0):
                first = middle + 1
            else:
                last = middle
        return first

    cdef Py_ssize_t number(self, const unsigned char* form, Py_ssize_t size) noexcept nogil:
        """The number of the term that is exactly `form`, or -1."""
        cdef uint32_t points[MAX_TERM]
        cdef int length
        cdef Py_ssize_t at
        if size == 0 or size > MAX_TERM or self.size == 0:
            return -1
        length = to_points(form, size, points)
        at = self.locate(form, size, self.starts[length], self.starts[length + 1], False)
        if at >= self.starts[length + 1] or self.offsets[at + 1] - self.offsets[at] != size or memcmp(
                self.arena + self.offsets[at], form, size) != 0:
            return -1
        return at

    def find(self, bytes form not None):
        """The number of the term that is exactly `form`, or -1."""
        cdef const unsigned char* data = form
        return self.number(data, len(form))

    def splits(self, bytes form not None, Py_ssize_t shortest):
        """Where `form` may be cut so that both sides are terms of at least `shortest` bytes; ASCII forms only."""
        cdef const unsigned char* data = form
        cdef Py_ssize_t size = len(form), place
        if shortest < 1 or not form.isascii():
            raise ValueError(f"only ASCII is cut, into at least one byte; not {form!r} into {shortest}")
        return [
            place for place in range(shortest, size - shortest + 1)
            if self.number(data, place) >= 0 and self.number(data + place, size - place) >= 0
        ]

    def prefix(self, bytes form not None, int longest=MAX_TERM):
        """Ranges [first, last) of the terms longer than `form`, up to `longest` code points, that begin with it."""
        cdef uint32_t points[MAX_TERM]
        cdef const unsigned char* data = form
        cdef Py_ssize_t size = len(form), first, last
        cdef int length
        ranges = []
        if size == 0 or size > MAX_TERM or self.size == 0:
            return ranges
        length = to_points(data, size, points) + 1
        while length <= longest and length <= MAX_TERM:
            if self.starts[length] < self.starts[length + 1]:
                first = self.locate(data, size, self.starts[length], self.starts[length + 1], False)
                last = self.locate(data, size, first, self.starts[length + 1], True)
                if first < last:
                    ranges.append((first, last))
            length += 1
        return ranges

    def within(self, bytes form not None, int bound, bint wide=True):
        """Terms at 1 to `bound` (at most 3) edits of `form` as (number, edits), nearest first, then by number.

        Forms that begin with a control byte are terms of a field; they only match their own field. Not `wide`: without
        instructions that not every processor has; the answer is the same.
        """
        cdef uint32_t points[MAX_TERM]
        cdef uint32_t other[MAX_TERM]
        cdef uint32_t picked[CHUNK]
        cdef const unsigned char* data = form
        cdef const unsigned char* term
        cdef Py_ssize_t size = len(form), first, last, count, k, length, low, high
        cdef int edits, query_size, other_size
        cdef uint32_t wanted
        if not 0 <= bound <= 3:
            raise ValueError(f"bound must be 0 to 3, not {bound}")
        found = []
        if size == 0 or size > MAX_TERM or self.size == 0:
            return found
        query_size = to_points(data, size, points)
        wanted = signature(points, query_size)
        low = query_size - bound if query_size > bound else 1
        high = query_size + bound if query_size + bound < MAX_TERM else MAX_TERM
        first = self.starts[low]
        last = self.starts[high + 1]
        while first < last:
            with nogil:
                count = rr_filter(self.signatures, first, last, wanted, 2 * bound, picked, CHUNK, &first, wide)
                length = 0
                for k in range(count):
                    term = self.arena + self.offsets[picked[k]]
                    if (term[0] < 0x20 or data[0] < 0x20) and term[0] != data[0]:
                        continue
                    other_size = to_points(term, self.offsets[picked[k] + 1] - self.offsets[picked[k]], other)
                    edits = osa_within(points, query_size, other, other_size, bound)
                    if 0 < edits <= bound:
                        picked[length] = picked[k] | <uint32_t>edits << 30  # numbers stay below 2**30
                        length += 1
            for k in range(length):
                found.append((picked[k] & 0x3FFFFFFF, picked[k] >> 30))
        found.sort(key=by_edits)
        return found

    def form(self, Py_ssize_t number):
        """The UTF-8 form of a term. Raises IndexError when there is no such term."""
        if not 0 <= number < self.size:
            raise IndexError(number)
        return self.arena[self.offsets[number]:self.offsets[number + 1]]


def by_edits(pair):
    return pair[1], pair[0]

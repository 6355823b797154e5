"""The byte format of the postings of one term in one block: packing.pyx writes it, postings.pyx reads it.

Each entry, a term in a block, has a u32 pointer. A single posting is stored in the pointer itself: bit 31 is set, then
frequency << 16 | document. Several postings are stored in one or more frames, and the pointer locates the first of
them.

A frame holds up to 256 postings. Its bytes are: the number of postings less one; a byte with the number of low bits
(bits 0 to 3), 16 if some frequency is above 1, and 32 if another frame follows; if either flag is set, the number of
bytes of the high bits, u8; if both are set, the number of bytes of the frequencies, u16; then low bits, high bits and
frequencies.

Documents d[0] < d[1] < ... are encoded by Elias-Fano coding of the non-descending numbers d[k] - least - k, where
`least` is 0 in the first frame and the last document of the previous frame plus 1 in others. The low bits of all
numbers are concatenated, lowest bit of the first byte first. Where h[k] is the k-th number without its low bits, bit
(h[k] + k) of the high bits is set.
Frequencies are in unary: 1, 2, 3 are 1, 01, 001.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

cdef enum:
    BLOCK = 65536    # documents of a block, so that a local id has 16 bits
    SHORT = 32       # postings up to which any number of low bits is read fast
    MOST_HIGH = 255  # bytes of high bits in a frame

cdef extern from "simd/posting_frames.h":
    enum:
        RUN "RR_RUN"      # postings of a frame, at most
        ROOM "RR_ROOM"    # size of the arrays for an unpacked frame: some entries are written before they are counted
        SPARE "RR_SPARE"  # bytes after the last frame, because eight bytes are read at a time
    void rr_fill_bits() noexcept nogil  # must be called once by each kernel that reads frames
    Py_ssize_t rr_read_frame(const uint8_t** next, const uint8_t* end, uint32_t* least, uint16_t* docs,
                             uint8_t* tfs) noexcept nogil


cdef inline uint32_t direct(uint16_t doc, uint8_t tf) noexcept nogil:
    """Return the pointer that stores the only posting of an entry: its document in the block and its frequency."""
    return <uint32_t>1 << 31 | <uint32_t>tf << 16 | doc


cdef inline bint is_direct(uint64_t pointer) noexcept nogil:
    """Return whether a pointer stores its posting itself."""
    return pointer >> 31 != 0


cdef inline uint16_t doc_of(uint32_t pointer) noexcept nogil:
    """Return the document, a number in the block, of a pointer that stores its posting itself."""
    return pointer & 0xFFFF


cdef inline uint8_t tf_of(uint32_t pointer) noexcept nogil:
    """Return the frequency of a pointer that stores its posting itself."""
    return pointer >> 16 & 0xFF


cdef inline void write_low(uint8_t* lows, uint32_t bit, uint32_t value) noexcept nogil:
    """Write a value of fewer than 16 bits at bit number `bit` of `lows`, where all bits are still 0."""
    lows += bit >> 3
    value <<= bit & 7
    lows[0] |= value & 0xFF
    if value >> 8:
        lows[1] |= value >> 8 & 0xFF
        if value >> 16:
            lows[2] |= value >> 16


cdef inline int best_split(uint32_t span, uint32_t count) noexcept nogil:
    """Return how many low bits make the shortest frame of `count` numbers in Elias-Fano coding; the last is `span`.

    0, 4 and 8 low bits are read fastest: in a frame above SHORT postings, another number must save a ninth of the
    bytes.
    """
    cdef uint32_t low_bits, high, cost, least = 0xFFFFFFFFU
    cdef int best = 0
    for low_bits in range(16):
        high = ((span >> low_bits) + count + 7) >> 3
        if high > MOST_HIGH:
            continue
        cost = ((count * low_bits + 7) >> 3) + high
        if count > SHORT and low_bits != 0 and low_bits != 4 and low_bits != 8:
            cost = cost * 9 // 8
        if cost <= least:
            least = cost
            best = low_bits
    return best


cdef inline uint8_t* write_frame(uint8_t* at, const uint16_t* docs, const uint8_t* tfs, uint32_t count,
                                 uint32_t least, bint follows) noexcept nogil:
    """Write a frame of `count` postings, 1 to RUN, at `at`, and return the end of the frame.

    docs[0:count] ascend from `least`, which is 0 or the last document of the frame before plus 1; tfs are their
    frequencies. `follows` tells whether another frame of the term follows. There must be enough room.
    """
    cdef uint32_t span = docs[count - 1] - least - (count - 1), high_size, tf_bits = 0, value, bit, k
    cdef int low_bits = best_split(span, count)
    cdef uint32_t mask = (<uint32_t>1 << low_bits) - 1
    cdef bint counted
    cdef uint8_t* lows
    cdef uint8_t* highs
    cdef uint8_t* frequencies
    for k in range(count):
        tf_bits += tfs[k]
    counted = tf_bits > count
    high_size = ((span >> low_bits) + count + 7) >> 3
    at[0] = count - 1
    at[1] = low_bits | counted << 4 | follows << 5
    at += 2
    if counted or follows:
        at[0] = high_size
        at += 1
    if counted and follows:
        at[0] = ((tf_bits + 7) >> 3) & 0xFF
        at[1] = (tf_bits + 7) >> 3 >> 8
        at += 2
    lows = at
    highs = lows + ((count * low_bits + 7) >> 3)
    frequencies = highs + high_size
    at = frequencies + (((tf_bits + 7) >> 3) if counted else 0)
    memset(lows, 0, at - lows)
    for k in range(count):
        value = docs[k] - least - k
        if low_bits:
            write_low(lows, k * low_bits, value & mask)
        bit = (value >> low_bits) + k
        highs[bit >> 3] |= 1 << (bit & 7)
    if counted:
        bit = 0
        for k in range(count):
            bit += tfs[k]
            frequencies[(bit - 1) >> 3] |= 1 << ((bit - 1) & 7)
    return at


cdef inline uint64_t most_bytes(const uint8_t* tfs, Py_ssize_t count) noexcept nogil:
    """Return an upper bound of the bytes that write_frames() needs for `count` postings with the frequencies `tfs`."""
    cdef uint64_t bits = 0
    cdef Py_ssize_t k
    for k in range(count):
        bits += tfs[k]
    return bits // 8 + 2 * count + (count // RUN + 1) * (MOST_HIGH + 16)


cdef inline uint8_t* write_frames(uint8_t* at, const uint16_t* docs, const uint8_t* tfs,
                                  Py_ssize_t count) noexcept nogil:
    """Write the postings of one term in one block as frames at `at`, and return the end of the frames.

    docs and tfs have `count` elements; at `at`, there is room for most_bytes() bytes.
    """
    cdef Py_ssize_t k = 0, size
    cdef uint32_t least = 0
    while k < count:
        size = min(count - k, <Py_ssize_t>RUN)
        at = write_frame(at, docs + k, tfs + k, size, least, k + size < count)
        k += size
        least = docs[k - 1] + 1
    return at

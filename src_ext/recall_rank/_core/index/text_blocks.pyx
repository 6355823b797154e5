"""Text packed in blocks, each of which can be unpacked without the others.

A packed block is a list of sequences: a head byte, literal bytes, then a match, which repeats at least LEAST bytes that
lie at most 65,535 bytes before it. The upper half of the head is the number of literals, the lower half the length of
the match less LEAST; 15 is continued by bytes that are added to it, up to the first one below 255. The distance
of a match is a u16 in front of the bytes that continue its length. A block ends behind the literals or the match that
complete it. Matches reach into a dictionary, which lies in front of every block. A block that would not become shorter
is stored as it is.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cdef enum:
    LEAST = 4              # bytes of the shortest match
    HALF = 15              # a length from which on bytes follow that continue it
    HASH_BITS = 14
    TRIED = 12             # earlier places of equal four bytes that are compared
    ENOUGH = 48            # bytes of a match behind which no better one is looked for
    SLACK = 16             # bytes that are copied at once, behind the end of what is needed
    LONGEST = 32_768       # bytes of a block, and of a dictionary: a distance is below 65,536

MOST_BYTES = LONGEST

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    static int rr_first_difference(unsigned long long bits) {
        unsigned long at;
        _BitScanForward64(&at, bits);
        return (int)(at >> 3);
    }
    #else
    static int rr_first_difference(unsigned long long bits) { return __builtin_ctzll(bits) >> 3; }
    #endif
    """
    int rr_first_difference(uint64_t bits) noexcept nogil

cdef struct Places:
    # Places in `bytes`, which is a dictionary and the block behind it; a place is stored as its number plus 1.
    uint8_t* bytes
    uint16_t* newest       # u16[1 << HASH_BITS], by hash the last place of it
    uint16_t* before       # u16[2 * LONGEST], by place the place of equal hash before it
    Py_ssize_t end         # of the block


cdef inline uint32_t hash_at(const uint8_t* bytes) noexcept nogil:
    cdef uint32_t word
    memcpy(&word, bytes, 4)
    return (word * 2654435761U) >> (32 - HASH_BITS)


cdef inline void enter(Places* places, Py_ssize_t at) noexcept nogil:
    """Enter a place, behind which there are at least LEAST bytes, among those of equal hash."""
    cdef uint32_t key = hash_at(places.bytes + at)
    places.before[at] = places.newest[key]
    places.newest[key] = <uint16_t>(at + 1)


cdef Py_ssize_t common(const uint8_t* left, const uint8_t* right, Py_ssize_t most) noexcept nogil:
    """Return how many of the first `most` bytes are equal, up to the first difference."""
    cdef uint64_t one, other
    cdef Py_ssize_t length = 0
    while length + 8 <= most:
        memcpy(&one, left + length, 8)
        memcpy(&other, right + length, 8)
        if one != other:
            return length + rr_first_difference(one ^ other)
        length += 8
    while length < most and left[length] == right[length]:
        length += 1
    return length


cdef Py_ssize_t longest(Places* places, Py_ssize_t at, Py_ssize_t least, Py_ssize_t* found) noexcept nogil:
    """Return the length of the longest match at a place, and set `found` to where it begins; `least` if none is longer.
    """
    cdef Py_ssize_t most = places.end - at, best = least, length, where
    cdef const uint8_t* here = places.bytes + at
    cdef int tried = TRIED
    cdef uint16_t place
    if most <= best or most < LEAST:
        return best
    place = places.newest[hash_at(here)]
    while place and tried:
        where = place - 1
        if places.bytes[where + best] == here[best]:
            length = common(places.bytes + where, here, most)
            if length > best:
                best = length
                found[0] = where
                if best >= ENOUGH or best == most:
                    break
        place = places.before[where]
        tried -= 1
    return best


cdef inline Py_ssize_t write_length(uint8_t* out, Py_ssize_t at, Py_ssize_t length) noexcept nogil:
    """Write the bytes that continue a length from HALF on, and return the offset behind them."""
    length -= HALF
    while length >= 255:
        out[at] = 255
        at += 1
        length -= 255
    out[at] = <uint8_t>length
    return at + 1


cdef Py_ssize_t pack_block(Places* places, Py_ssize_t start, uint8_t* out) noexcept nogil:
    """Pack the bytes from `start` to the end of `places` into `out`; return how many bytes that took.

    They are at most two more than the block has, and one for each 255 of it: a sequence has at most three bytes besides
    its literals and those that continue a length, and its match stands for four or more.
    """
    cdef Py_ssize_t at = start, first = start, used = 0, length, later, run, entered, where = 0, other = 0
    cdef uint8_t* head
    while at < places.end:
        length = longest(places, at, LEAST - 1, &where)
        if at + LEAST <= places.end:
            enter(places, at)
        if length < LEAST:
            at += 1
            continue
        while length < ENOUGH and at + 1 + LEAST <= places.end:  # a longer match one byte later is worth a literal
            later = longest(places, at + 1, length, &other)
            if later <= length:
                break
            at += 1
            enter(places, at)
            length, where = later, other
        run = at - first
        head = out + used
        used += 1
        head[0] = <uint8_t>(min(run, <Py_ssize_t>HALF) << 4 | min(length - LEAST, <Py_ssize_t>HALF))
        if run >= HALF:
            used = write_length(out, used, run)
        memcpy(out + used, places.bytes + first, run)
        used += run
        out[used] = <uint8_t>(at - where)
        out[used + 1] = <uint8_t>((at - where) >> 8)
        used += 2
        if length - LEAST >= HALF:
            used = write_length(out, used, length - LEAST)
        for entered in range(at + 1, min(at + length, places.end - LEAST + 1)):
            enter(places, entered)
        at += length
        first = at
    run = places.end - first
    if run:
        out[used] = <uint8_t>(min(run, <Py_ssize_t>HALF) << 4)
        used += 1
        if run >= HALF:
            used = write_length(out, used, run)
        memcpy(out + used, places.bytes + first, run)
        used += run
    return used


def pack_blocks(const uint8_t[::1] text not None, const uint8_t[::1] dictionary not None, Py_ssize_t block):
    """Return (packed, starts): the blocks of `block` bytes of a text, packed one after the other, and their offsets.

    `packed` is a bytearray, `starts` u64[blocks + 1]; block k is packed[starts[k]:starts[k + 1]]. Block and dictionary
    have at most MOST_BYTES bytes; ValueError is raised for others. Equal arguments give equal bytes.
    """
    cdef Py_ssize_t size = text.shape[0], known = dictionary.shape[0], at, length, taken, count, used = 0
    cdef uint16_t* fresh = NULL
    cdef uint8_t* room = NULL
    cdef uint8_t* out
    cdef uint64_t* starts
    cdef Places places
    if not 0 < block <= LONGEST or known > LONGEST:
        raise ValueError(f"blocks and dictionary have at most {LONGEST} bytes")
    count = (size + block - 1) // block
    made, offsets = bytearray(size), bytearray(8 * (count + 1))
    out, starts = <uint8_t*>PyByteArray_AS_STRING(made), <uint64_t*>PyByteArray_AS_STRING(offsets)
    places.bytes = <uint8_t*>malloc(known + block + SLACK)
    places.newest = <uint16_t*>malloc(sizeof(uint16_t) << HASH_BITS)
    places.before = <uint16_t*>malloc(sizeof(uint16_t) * (known + block))
    fresh = <uint16_t*>malloc(sizeof(uint16_t) << HASH_BITS)
    room = <uint8_t*>malloc(block + block // 255 + SLACK)
    try:
        if not (places.bytes and places.newest and places.before and fresh and room):
            raise MemoryError
        with nogil:
            memset(places.newest, 0, sizeof(uint16_t) << HASH_BITS)
            places.end = known
            if known:
                memcpy(places.bytes, &dictionary[0], known)
            for at in range(known - LEAST + 1):
                enter(&places, at)
            memcpy(fresh, places.newest, sizeof(uint16_t) << HASH_BITS)
            at = 0
            while at < size:
                length = min(block, size - at)
                if at:
                    memcpy(places.newest, fresh, sizeof(uint16_t) << HASH_BITS)
                memcpy(places.bytes + known, &text[at], length)
                places.end = known + length
                taken = pack_block(&places, known, room)
                if taken < length:
                    memcpy(out + used, room, taken)
                else:
                    memcpy(out + used, &text[at], length)
                    taken = length
                starts[at // block] = used
                used += taken
                at += length
            starts[count] = used
    finally:
        free(places.bytes)
        free(places.newest)
        free(places.before)
        free(fresh)
        free(room)
    del made[used:]
    return made, memoryview(offsets).toreadonly().cast("Q")


cdef inline Py_ssize_t read_length(const uint8_t* data, Py_ssize_t* at, Py_ssize_t size,
                                   Py_ssize_t most) noexcept nogil:
    """Return HALF plus the bytes that continue a length, and move `at` behind them; -1 if they end or exceed `most`."""
    cdef Py_ssize_t length = HALF
    while at[0] < size and length <= most:
        length += data[at[0]]
        at[0] += 1
        if data[at[0] - 1] < 255:
            return length
    return -1


cdef bint unpack_block(const uint8_t* data, Py_ssize_t size, uint8_t* out, Py_ssize_t known,
                       Py_ssize_t length) noexcept nogil:
    """Unpack `size` bytes into exactly `length` bytes at `out`, before which `known` bytes of dictionary lie.

    Return False when they encode something else. SLACK bytes behind `length` may be overwritten.
    """
    cdef Py_ssize_t at = 0, done = 0, run, distance, step
    cdef uint8_t head
    cdef uint8_t* to
    cdef const uint8_t* source
    while done < length:
        if at >= size:
            return False
        head = data[at]
        at += 1
        run = head >> 4
        if run == HALF:
            run = read_length(data, &at, size, length)
        if run < 0 or run > length - done or run > size - at:
            return False
        if run <= SLACK and size - at >= SLACK:
            memcpy(out + done, data + at, SLACK)
        else:
            memcpy(out + done, data + at, run)
        done += run
        at += run
        if done == length:
            break
        if size - at < 2:
            return False
        distance = data[at] | <Py_ssize_t>data[at + 1] << 8
        at += 2
        run = head & HALF
        if run == HALF:
            run = read_length(data, &at, size, length)
            if run < 0:
                return False
        run += LEAST
        if run > length - done or not 0 < distance <= done + known:
            return False
        to, source = out + done, out + done - distance
        if distance >= SLACK:
            step = 0
            while step < run:
                memcpy(to + step, source + step, SLACK)
                step += SLACK
        else:  # the match repeats bytes of its own
            for step in range(run):
                to[step] = source[step]
        done += run
    return at == size


def unpack_blocks(const uint8_t[::1] packed not None, const uint64_t[::1] starts not None,
                  const uint8_t[::1] dictionary not None, const uint32_t[::1] blocks not None,
                  uint8_t[::1] text not None, Py_ssize_t block):
    """Unpack the blocks with the numbers `blocks` of what pack_blocks() returned to their places in `text`.

    Of `packed` only the bytes of these blocks are read, and of `text` only those of these blocks are written, each once
    and with its final value. Raises ValueError when a block does not unpack to exactly its length, and for arguments
    that do not fit; blocks before it have been written then.
    """
    cdef Py_ssize_t size = text.shape[0], known = dictionary.shape[0], count = starts.shape[0] - 1, k, length
    cdef uint64_t start, end, wanted
    cdef uint8_t* room
    cdef bint sound = True
    if not 0 < block <= LONGEST or known > LONGEST or count != (size + block - 1) // block:
        raise ValueError("a packed text has other blocks than its text")
    room = <uint8_t*>malloc(known + block + SLACK)
    if not room:
        raise MemoryError
    try:
        with nogil:
            if known:
                memcpy(room, &dictionary[0], known)
            for k in range(blocks.shape[0]):
                wanted = blocks[k]
                sound = wanted < <uint64_t>count
                if not sound:
                    break
                start, end = starts[wanted], starts[wanted + 1]
                length = min(block, size - <Py_ssize_t>wanted * block)
                sound = start < end <= <uint64_t>packed.shape[0]
                if not sound:
                    break
                if end - start == <uint64_t>length:
                    memcpy(&text[wanted * block], &packed[start], length)
                    continue
                # not into `text`: a thread may read there what another has unpacked, and copies run over their ends
                sound = unpack_block(&packed[start], end - start, room + known, known, length)
                if not sound:
                    break
                memcpy(&text[wanted * block], room + known, length)
    finally:
        free(room)
    if not sound:
        raise ValueError("a block of a packed text is not what pack_blocks() makes")

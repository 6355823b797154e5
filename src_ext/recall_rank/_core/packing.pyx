"""Postings written as densely as they are read fast; postings.pyx reads them.

A term that one document of the first 2**24 holds once, and none else, is lone: its document stands in a column of its
own. All other terms are shared, and numbered without the lone ones. Of those a block tells in bits which it holds; each
that it does is an entry with a pointer. Bit 31 of a pointer is set where the only posting of an entry stands in it:
frequency << 16 | document. Other entries are frames from the block's start + pointer on.

A frame holds up to 256 postings, in bytes: their number less one; how many low bits are written apart (bits 0 to 3),
whether some frequency is above 1 (16), whether another frame follows (32); in either case the bytes of the high bits;
in both the u16 bytes of the frequencies. Documents d[0] < d[1] < ... become d[k] - least - k, which never descend,
`least` being 0 in the first frame and behind the last document of the frame before in others. Their low bits follow
one another from the lowest bit of the first byte on. Of their high bits, in bytes of their own, bit (high + k) is set.
Of frequencies likewise the bit is set that ends each when they are written as so many bits: 1, 2, 3 are 1, 01, 001.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from recall_rank._core.bits cimport ones, ranks_of, words_of
from recall_rank._core.postings cimport RUN, SPARE

cdef enum:
    BLOCK = 65536
    LONE_BLOCKS = 256        # what a byte can tell apart
    SHORT = 32               # postings of a frame that is read in no time, however many low bits there are
    MOST_HIGH = 255          # bytes of high bits in a frame

cdef uint32_t DIRECT = 0x80000000U  # in a pointer: the posting stands in it


cdef inline void write_low(uint8_t* lows, uint32_t bit, uint32_t value) noexcept nogil:
    """Write fewer than 16 bits into zeros."""
    lows += bit >> 3
    value <<= bit & 7
    lows[0] |= value & 0xFF
    if value >> 8:
        lows[1] |= value >> 8 & 0xFF
        if value >> 16:
            lows[2] |= value >> 16


cdef int best_split(uint32_t span, uint32_t count) noexcept nogil:
    """How many low bits are best written apart for `count` numbers of which the last is `span`.

    None, 4 and 8 are read several at once: in a long frame others must be shorter by a ninth.
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


cdef uint8_t* write_frame(uint8_t* at, const uint16_t* docs, const uint8_t* tfs, uint32_t count, uint32_t least,
                          bint follows) noexcept nogil:
    """Write a frame into room for it; where it ends."""
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


cdef void fill_ranks(const uint64_t* words, Py_ssize_t numbers, uint32_t* ranks, uint64_t before) noexcept nogil:
    """How many are set before every 256th number, and `before` more."""
    cdef Py_ssize_t k
    for k in range(words_of(numbers)):
        if k & 3 == 0:
            ranks[k >> 2] = before
        before += ones(words[k])
    if numbers & 255 == 0:
        ranks[numbers >> 8] = before


cdef object column(Py_ssize_t count, str code, void** data):
    """A column of `count` zeros, to be filled once through `data`."""
    made = bytearray(count * {"B": 1, "H": 2, "I": 4, "Q": 8}[code])
    data[0] = PyByteArray_AS_STRING(made)
    return memoryview(made).cast(code)


cdef class PostingsWriter:
    """Takes postings block by block, in order, and gives the columns that Postings reads.

    Terms are numbered below `terms`; those that get no posting are left out when the columns are made.
    """

    def __cinit__(self, Py_ssize_t terms):
        if not 0 <= terms < DIRECT:
            raise ValueError(f"no {terms} terms")
        self.term_count = terms
        self.frames = bytearray()
        self.df = <uint32_t*>calloc(terms + 1, sizeof(uint32_t))
        self.starts = <uint64_t*>calloc(1, sizeof(uint64_t))
        self.firsts = <uint64_t*>calloc(1, sizeof(uint64_t))
        if self.df == NULL or self.starts == NULL or self.firsts == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.df)
        free(self.entries)
        free(self.starts)
        free(self.firsts)

    cdef int put(self, uint32_t term, const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count) except -1 nogil:
        """Add what the block under way holds of a term; terms and documents ascend, and there is a posting."""
        cdef uint64_t needed = 0, wanted, pointer
        cdef Py_ssize_t k, size
        cdef uint32_t least = 0
        cdef uint8_t* at
        cdef void* grown
        if self.entry_count == self.entry_room:
            wanted = self.entry_room + self.entry_room // 2 + 1024
            grown = realloc(self.entries, wanted * sizeof(Entry))
            if grown == NULL:
                raise MemoryError
            self.entries = <Entry*>grown
            self.entry_room = wanted
        if count == 1:
            pointer = DIRECT | <uint32_t>tfs[0] << 16 | docs[0]
        else:
            for k in range(count):
                needed += tfs[k]
            needed = needed // 8 + 2 * count + (count // RUN + 1) * (MOST_HIGH + 16)
            if self.size + needed > self.room:
                with gil:
                    self.grow(self.size + needed)
            pointer = self.size - self.starts[self.block_count]
            if pointer >= DIRECT:
                raise OverflowError("a block of documents has too many words")
            at = self.data + self.size
            k = 0
            while k < count:
                size = min(count - k, <Py_ssize_t>RUN)
                at = write_frame(at, docs + k, tfs + k, size, least, k + size < count)
                k += size
                least = docs[k - 1] + 1
            self.size = at - self.data
        self.df[term] += count
        self.entries[self.entry_count].term = term
        self.entries[self.entry_count].pointer = pointer
        self.entry_count += 1
        return 0

    cdef int grow(self, uint64_t wanted) except -1:
        self.room = wanted + wanted // 16 + 65536
        PyByteArray_Resize(self.frames, self.room)
        self.data = <uint8_t*>PyByteArray_AS_STRING(self.frames)
        return 0

    cdef int end_block(self) except -1 nogil:
        """What is put next belongs to the next block."""
        cdef void* grown = realloc(self.starts, (self.block_count + 2) * sizeof(uint64_t))
        if grown == NULL:
            raise MemoryError
        self.starts = <uint64_t*>grown
        grown = realloc(self.firsts, (self.block_count + 2) * sizeof(uint64_t))
        if grown == NULL:
            raise MemoryError
        self.firsts = <uint64_t*>grown
        self.block_count += 1
        self.starts[self.block_count] = self.size
        self.firsts[self.block_count] = self.entry_count
        return 0

    def add(self, const uint64_t[::1] keys not None):
        """Add the postings of a block: term << 24 | document in the block << 8 | frequency, ascending."""
        cdef Py_ssize_t count = keys.shape[0], k = 0, size
        cdef uint64_t before = 0, key
        cdef uint32_t term
        cdef uint16_t* docs = NULL
        cdef uint8_t* tfs = NULL
        if self.finished:
            raise ValueError("the postings are finished")
        for k in range(count):
            key = keys[k]
            if (k and key >> 8 <= before >> 8) or not key & 0xFF or key >> 24 >= <uint64_t>self.term_count:
                raise ValueError(f"posting {k} is out of order, or no posting")
            before = key
        try:
            docs = <uint16_t*>malloc(BLOCK * sizeof(uint16_t))
            tfs = <uint8_t*>malloc(BLOCK)
            if docs == NULL or tfs == NULL:
                raise MemoryError
            with nogil:
                k = 0
                while k < count:
                    term = keys[k] >> 24
                    size = 0
                    while k < count and keys[k] >> 24 == term:
                        docs[size] = keys[k] >> 8 & 0xFFFF
                        tfs[size] = keys[k] & 0xFF
                        size += 1
                        k += 1
                    self.put(term, docs, tfs, size)
                self.end_block()
        finally:
            free(docs)
            free(tfs)

    def frequencies(self):
        """How many documents hold each term so far, u32[terms]."""
        return PyBytes_FromStringAndSize(<char*>self.df, self.term_count * sizeof(uint32_t))

    def finish(self):
        """The columns, as Postings takes them; the writer takes nothing more.

        shared_bits u64, shared_ranks u32: of all terms; lone_docs u16, lone_blocks u8: of lone terms; df u8: of shared
        terms, 255 for all above; frequent u32, more u32: which are above, and by how much; block_starts u64[blocks + 1]
        into the frames; block_bits u64, block_ranks u32: of each block one after the other, ranks counted from the
        first block on; pointers u32: of all entries; frames u8, and as many bytes more as SPARE says.
        """
        cdef Py_ssize_t terms = 0, shared = 0, lone = 0, frequent = 0, block, words, ranks
        cdef uint64_t k, first, entries = 0
        cdef uint32_t term, number
        cdef void* data
        cdef uint64_t* bits
        cdef uint64_t* own
        cdef uint32_t* counted
        cdef uint16_t* docs
        cdef uint8_t* blocks
        cdef uint8_t* df
        cdef uint32_t* over
        cdef uint32_t* more
        cdef uint32_t* pointers
        cdef uint32_t* numbers
        if self.finished:
            raise ValueError("the postings are finished")
        if self.entry_count > 0xFFFFFFFFU:
            raise OverflowError("too many postings")
        self.finished = True
        numbers = <uint32_t*>calloc(self.term_count + 1, sizeof(uint32_t))  # 1 where lone, then the new number
        if numbers == NULL:
            raise MemoryError
        try:
            for k in range(self.firsts[min(self.block_count, <Py_ssize_t>LONE_BLOCKS)]):
                term = self.entries[k].term
                if self.df[term] == 1 and self.entries[k].pointer >> 16 == DIRECT >> 16 | 1:
                    numbers[term] = 1
                    lone += 1
            for term in range(<uint32_t>self.term_count):
                terms += self.df[term] > 0
                frequent += self.df[term] > 255
            shared = terms - lone
            shared_bits_column = column(words_of(terms), "Q", &data)
            bits = <uint64_t*>data
            shared_ranks_column = column(ranks_of(terms), "I", &data)
            counted = <uint32_t*>data
            lone_docs_column = column(lone, "H", &data)
            docs = <uint16_t*>data
            lone_blocks_column = column(lone, "B", &data)
            blocks = <uint8_t*>data
            df_column = column(shared, "B", &data)
            df = <uint8_t*>data
            frequent_column = column(frequent, "I", &data)
            over = <uint32_t*>data
            more_column = column(frequent, "I", &data)
            more = <uint32_t*>data
            terms = shared = lone = frequent = 0
            for term in range(<uint32_t>self.term_count):
                if self.df[term] == 0:
                    continue
                if numbers[term]:
                    numbers[term] = lone
                    lone += 1
                else:
                    bits[terms >> 6] |= <uint64_t>1 << (terms & 63)
                    df[shared] = min(self.df[term], <uint32_t>255)
                    if self.df[term] > 255:
                        over[frequent] = shared
                        more[frequent] = self.df[term] - 255
                        frequent += 1
                    numbers[term] = DIRECT | shared
                    shared += 1
                terms += 1
            fill_ranks(bits, terms, counted, 0)
            words, ranks = words_of(shared), ranks_of(shared)
            starts_column = column(self.block_count + 1, "Q", &data)
            bits = <uint64_t*>data
            for block in range(self.block_count + 1):
                bits[block] = self.starts[block]
            block_bits_column = column(self.block_count * words, "Q", &data)
            bits = <uint64_t*>data
            block_ranks_column = column(self.block_count * ranks, "I", &data)
            counted = <uint32_t*>data
            pointers_column = column(self.entry_count - lone, "I", &data)
            pointers = <uint32_t*>data
            for block in range(self.block_count):
                own = bits + block * words
                first = entries
                for k in range(self.firsts[block], self.firsts[block + 1]):
                    number = numbers[self.entries[k].term]
                    if number & DIRECT:
                        number ^= DIRECT
                        own[number >> 6] |= <uint64_t>1 << (number & 63)
                        pointers[entries] = self.entries[k].pointer
                        entries += 1
                    else:
                        docs[number] = self.entries[k].pointer & 0xFFFF
                        blocks[number] = block
                fill_ranks(own, shared, counted + block * ranks, first)
        finally:
            free(numbers)
        PyByteArray_Resize(self.frames, self.size + SPARE)
        memset(PyByteArray_AS_STRING(self.frames) + self.size, 0, SPARE)
        return (shared_bits_column, shared_ranks_column, lone_docs_column, lone_blocks_column, df_column,
                frequent_column, more_column, starts_column, block_bits_column, block_ranks_column, pointers_column,
                memoryview(self.frames))

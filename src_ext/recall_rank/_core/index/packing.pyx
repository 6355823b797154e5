"""Write postings in the compressed form that postings.pyx reads, in blocks of 65,536 documents.

A term is lone if exactly one document contains it, with frequency 1, and that document is below 2**24; its document is
stored in a column of its own. All other terms are shared, and numbered without the lone ones. Each block has a bit for
each shared term, and an entry, that is a u32 pointer, for each bit that is set. The pointer is a single posting, or the
offset of several postings (frames, see posting_frames.pxd) from the start of the block.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from recall_rank._core.runtime.bits cimport bitset_ranks, bitset_words, popcount
from recall_rank._core.index.posting_frames cimport BLOCK, SPARE, direct, doc_of, is_direct, most_bytes, write_frames

cdef enum:
    LONE_BLOCKS = 256  # blocks that a byte can number

cdef uint32_t SHARED = 0x80000000U  # flag of the new number of a shared term


cdef void fill_ranks(const uint64_t* words, Py_ssize_t numbers, uint32_t* ranks, uint64_t before) noexcept nogil:
    """Write to ranks[k] the number of members below 256 * k of the bit set `words`, plus `before`.

    The set is of numbers below `numbers`: `words` is u64[bitset_words(numbers)], `ranks` u32[bitset_ranks(numbers)].
    """
    cdef Py_ssize_t k
    for k in range(bitset_words(numbers)):
        if k & 3 == 0:
            ranks[k >> 2] = before
        before += popcount(words[k])
    if numbers & 255 == 0:
        ranks[numbers >> 8] = before


cdef object column(Py_ssize_t count, str code, void** data):
    """Return a memoryview of `count` zeros of the type `code`; data[0] is set to its memory."""
    made = bytearray(count * {"B": 1, "H": 2, "I": 4, "Q": 8}[code])
    data[0] = PyByteArray_AS_STRING(made)
    return memoryview(made).cast(code)


cdef class PostingsWriter:
    """Takes postings block by block, in order, and returns the columns that Postings reads.

    Term numbers are below `terms`; terms without postings are left out of the columns, and the others renumbered.
    """

    def __cinit__(self, Py_ssize_t terms):
        if not 0 <= terms < SHARED:
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
        """Add the postings of a term to the current block, in ascending order of terms.

        docs are numbers in the block, ascending, tfs their frequencies above 0; both have `count` elements, at least 1.
        Raises MemoryError, or OverflowError for a block of more than 2 GiB.
        """
        cdef uint64_t needed, wanted, pointer
        cdef void* grown
        if self.entry_count == self.entry_room:
            wanted = self.entry_room + self.entry_room // 2 + 1024
            grown = realloc(self.entries, wanted * sizeof(Entry))
            if grown == NULL:
                raise MemoryError
            self.entries = <Entry*>grown
            self.entry_room = wanted
        if count == 1:
            pointer = direct(docs[0], tfs[0])
        else:
            needed = most_bytes(tfs, count)
            if self.size + needed > self.room:
                with gil:
                    self.grow(self.size + needed)
            pointer = self.size - self.starts[self.block_count]
            if is_direct(pointer):
                raise OverflowError("a block of documents has too many words")
            self.size = write_frames(self.data + self.size, docs, tfs, count) - self.data
        self.df[term] += count
        self.entries[self.entry_count].term = term
        self.entries[self.entry_count].pointer = pointer
        self.entry_count += 1
        return 0

    cdef int grow(self, uint64_t wanted) except -1:
        """Enlarge `frames` to more than `wanted` bytes. Raises MemoryError."""
        self.room = wanted + wanted // 16 + 65536
        PyByteArray_Resize(self.frames, self.room)
        self.data = <uint8_t*>PyByteArray_AS_STRING(self.frames)
        return 0

    cdef int end_block(self) except -1 nogil:
        """End the current block; put() then adds to the next one."""
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
        """Add a whole block of postings, ascending u64 keys: term << 24 | document in the block << 8 | frequency.

        Raises ValueError for keys out of order, a frequency of 0, a term number too high, and after finish().
        """
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
        """Return the number of documents that contain each term so far: bytes of u32[terms]."""
        return PyBytes_FromStringAndSize(<char*>self.df, self.term_count * sizeof(uint32_t))

    def finish(self):
        """Return the tuple of columns that Postings takes, in its order; no more postings can be added.

        A term is lone if one document alone contains it, once, and that document is below 2**24; it is shared
        otherwise. shared_bits u64 and shared_ranks u32 are a bit set of all terms, 1 for shared ones. lone_docs u16 and
        lone_blocks u8 have the document of each lone term. df u8 has the document frequency of each shared term, 255
        for 255 and more; frequent u32 has the shared terms in more than 255 documents, and more u32 what exceeds 255.
        block_starts u64[blocks + 1] are offsets in frames. block_bits u64 and block_ranks u32 are the bit sets of all
        blocks, one after the other, of the shared terms in each; ranks count from the first block. pointers u32 has an
        entry for each bit; frames u8, to which they point, ends with SPARE zeros.
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
        numbers = <uint32_t*>calloc(self.term_count + 1, sizeof(uint32_t))  # 1 for a lone term, later its new number
        if numbers == NULL:
            raise MemoryError
        try:
            for k in range(self.firsts[min(self.block_count, <Py_ssize_t>LONE_BLOCKS)]):
                term = self.entries[k].term
                if self.df[term] == 1 and self.entries[k].pointer == direct(doc_of(self.entries[k].pointer), 1):
                    numbers[term] = 1
                    lone += 1
            for term in range(<uint32_t>self.term_count):
                terms += self.df[term] > 0
                frequent += self.df[term] > 255
            shared = terms - lone
            shared_bits_column = column(bitset_words(terms), "Q", &data)
            bits = <uint64_t*>data
            shared_ranks_column = column(bitset_ranks(terms), "I", &data)
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
                    numbers[term] = SHARED | shared
                    shared += 1
                terms += 1
            fill_ranks(bits, terms, counted, 0)
            words, ranks = bitset_words(shared), bitset_ranks(shared)
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
                    if number & SHARED:
                        number ^= SHARED
                        own[number >> 6] |= <uint64_t>1 << (number & 63)
                        pointers[entries] = self.entries[k].pointer
                        entries += 1
                    else:
                        docs[number] = doc_of(self.entries[k].pointer)
                        blocks[number] = block
                fill_ranks(own, shared, counted + block * ranks, first)
        finally:
            free(numbers)
        PyByteArray_Resize(self.frames, self.size + SPARE)
        memset(PyByteArray_AS_STRING(self.frames) + self.size, 0, SPARE)
        return (shared_bits_column, shared_ranks_column, lone_docs_column, lone_blocks_column, df_column,
                frequent_column, more_column, starts_column, block_bits_column, block_ranks_column, pointers_column,
                memoryview(self.frames))

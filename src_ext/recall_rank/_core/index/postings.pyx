"""The documents and frequencies of each term, in blocks of 65,536 documents with 16-bit local ids; see packing.pyx."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc

from recall_rank._core.runtime.bits cimport bitset_has, bitset_ranks, bitset_words, rank
from recall_rank._core.index.posting_frames cimport (BLOCK, ROOM, SPARE, doc_of, is_direct, rr_fill_bits, rr_read_frame,
                                                     tf_of)

rr_fill_bits()


cdef Py_ssize_t below(const uint16_t* docs, Py_ssize_t last, int64_t doc) noexcept nogil:
    """Return how many of the first `last` of `docs`, which ascend, are below `doc`, by binary search."""
    cdef Py_ssize_t first = 0, middle
    while first < last:
        middle = first + (last - first) // 2
        if docs[middle] < doc:
            first = middle + 1
        else:
            last = middle
    return first


cdef bint reaches(const uint32_t[::1] starts, const uint32_t[::1] ends, int64_t base) noexcept nogil:
    """Return whether any range [starts[k], ends[k]) overlaps the block of which `base` is the first document."""
    cdef Py_ssize_t k
    for k in range(starts.shape[0]):
        if starts[k] < ends[k] and starts[k] < base + BLOCK and ends[k] > base:
            return True
    return False


cdef class Postings:
    """Reads the columns of PostingsWriter.finish(), which are borrowed and must not change.

    Raises ValueError when the sizes of the columns do not fit together. Their content is checked when it is read:
    whatever it is, no memory outside is read, the documents of a term ascend, and a term with an invalid pointer has
    no postings in that block.

    With `loader`, the columns pointers, frames, lone_docs, lone_blocks and df need not be there yet: before postings of
    terms are read, loader.load([(first, last), ...]) is called with their ranges of numbers, and before document
    frequencies loader.load_counts(). What these raise, the reading method raises.
    """

    # not __init__: it could run twice, and leave addresses of the first buffers behind
    def __cinit__(self, shared_bits not None, shared_ranks not None, lone_docs not None, lone_blocks not None,
                  df not None, frequent not None, more not None, block_starts not None, block_bits not None,
                  block_ranks not None, pointers not None, frames not None, *, loader=None):
        cdef const uint64_t[::1] shared_bits_view = shared_bits, block_bits_view = block_bits
        cdef const uint64_t[::1] starts_view = block_starts
        cdef const uint32_t[::1] shared_ranks_view = shared_ranks, frequent_view = frequent, more_view = more
        cdef const uint32_t[::1] block_ranks_view = block_ranks, pointers_view = pointers
        cdef const uint16_t[::1] lone_docs_view = lone_docs
        cdef const uint8_t[::1] lone_blocks_view = lone_blocks, df_view = df, frames_view = frames
        self.buffers = (shared_bits, shared_ranks, lone_docs, lone_blocks, df, frequent, more, block_starts, block_bits,
                        block_ranks, pointers, frames)
        self.views = [shared_bits_view, shared_ranks_view, lone_docs_view, lone_blocks_view, df_view, frequent_view,
                      more_view, starts_view, block_bits_view, block_ranks_view, pointers_view, frames_view]
        self.loader = loader
        self.lone_count = lone_docs_view.shape[0]
        self.shared_count = df_view.shape[0]
        self.frequent_count = frequent_view.shape[0]
        self.entry_count = pointers_view.shape[0]
        self.frames_size = frames_view.shape[0] - SPARE
        self.term_count = self.lone_count + self.shared_count
        self.block_count = starts_view.shape[0] - 1
        if (self.block_count < 0 or self.frames_size < 0 or lone_blocks_view.shape[0] != self.lone_count
                or more_view.shape[0] != self.frequent_count
                or shared_bits_view.shape[0] != bitset_words(self.term_count)
                or shared_ranks_view.shape[0] != bitset_ranks(self.term_count)
                or block_bits_view.shape[0] != self.block_count * bitset_words(self.shared_count)
                or block_ranks_view.shape[0] != self.block_count * bitset_ranks(self.shared_count)):
            raise ValueError("the postings' buffers do not fit together")
        self.starts = &starts_view[0]
        self.shared_ranks = &shared_ranks_view[0]
        self.frames = &frames_view[0]
        if self.term_count:
            self.shared_bits = &shared_bits_view[0]
        if self.lone_count:
            self.lone_docs = &lone_docs_view[0]
            self.lone_blocks = &lone_blocks_view[0]
        if self.shared_count:
            self.df = &df_view[0]
        if self.frequent_count:
            self.frequent = &frequent_view[0]
            self.more = &more_view[0]
        if block_bits_view.shape[0]:
            self.block_bits = &block_bits_view[0]
        if self.block_count:
            self.block_ranks = &block_ranks_view[0]
        if self.entry_count:
            self.pointers = &pointers_view[0]

    cdef int load(self, list ranges) except -1:
        """Load the postings of the terms in `ranges`, tuples (first, last), where they need not be there yet."""
        if self.loader is not None:
            self.loader.load(ranges)
        return 0

    cdef int load_counts(self, list ranges) except -1:
        """Load the document frequencies of the terms in `ranges`, where they need not be there yet."""
        if self.loader is not None:
            self.loader.load_counts(ranges)
        return 0

    def __len__(self):
        """The number of postings in all blocks."""
        self.load_counts([(0, self.term_count)])
        return self.count(0, self.term_count, NULL, 0)

    cdef uint32_t shared_before(self, uint32_t term) noexcept nogil:
        """Return the number of shared terms below number `term`. O(1).

        A term is shared unless it is lone, that is, unless one document alone contains it, once; see packing.pyx.
        """
        cdef uint64_t found = rank(self.shared_bits, self.shared_ranks, term)
        return min(found, min(<uint64_t>term, <uint64_t>self.shared_count))

    cdef void seek(self, Py_ssize_t block, uint32_t first, uint32_t last, Cursor* cursor) noexcept nogil:
        """Set the cursor before the first posting of the terms [first, last) in block number `block`."""
        cdef Py_ssize_t words
        cursor.block = block
        cursor.at = NULL
        cursor.shared = cursor.shared_end = self.shared_before(first)
        if last == first + 1:
            cursor.shared_end += bitset_has(self.shared_bits, first)
        else:
            cursor.shared_end = self.shared_before(last)
        cursor.shared_end = min(cursor.shared_end, <uint32_t>self.shared_count)
        cursor.lone = first - cursor.shared
        cursor.lone_end = min(last - cursor.shared_end, <uint32_t>self.lone_count)
        if cursor.shared < cursor.shared_end:
            words = bitset_words(self.shared_count)
            cursor.entry = rank(self.block_bits + block * words,
                                self.block_ranks + block * bitset_ranks(self.shared_count),
                                cursor.shared)

    cdef Py_ssize_t open(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil:
        """Take the next entry of the cursor's block, that is, the postings of one term in it.

        If it is a single posting, write it to docs[0] and tfs[0] and return 1. Otherwise return 0: next_run() reads the
        postings from the cursor; an invalid entry has none.
        """
        cdef uint64_t entry = cursor.entry, start = self.starts[cursor.block]
        cdef uint32_t pointer
        cursor.entry += 1
        if entry >= <uint64_t>self.entry_count:
            return 0
        pointer = self.pointers[entry]
        if is_direct(pointer):
            docs[0] = doc_of(pointer)
            tfs[0] = max(tf_of(pointer), 1)
            return 1
        if start < <uint64_t>self.frames_size and pointer < <uint64_t>self.frames_size - start:
            cursor.at = self.frames + start + pointer
            cursor.least = 0
        return 0

    cdef Py_ssize_t next_run(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil:
        """Write the next postings of one of the cursor's terms to `docs` and `tfs`, arrays of ROOM elements.

        Return their number, 0 when no term has more. docs are numbers in the cursor's block, and ascend. Which term
        they belong to is not told: a document is returned once for each term that it contains.
        """
        cdef Py_ssize_t count
        cdef uint32_t number
        while True:
            if cursor.at != NULL:
                count = rr_read_frame(&cursor.at, self.frames + self.frames_size, &cursor.least, docs, tfs)
                if count:
                    return count
            elif cursor.lone < cursor.lone_end:
                number = cursor.lone
                cursor.lone += 1
                if self.lone_blocks[number] == cursor.block:
                    docs[0] = self.lone_docs[number]
                    tfs[0] = 1
                    return 1
            elif cursor.shared < cursor.shared_end:
                number = cursor.shared
                cursor.shared += 1
                if bitset_has(self.block_bits + cursor.block * bitset_words(self.shared_count), number):
                    if self.open(cursor, docs, tfs):
                        return 1
            else:
                return 0

    cdef uint64_t count(self, uint32_t first, uint32_t last, const uint8_t* eligible,
                        Py_ssize_t documents) noexcept nogil:
        """Return the sum of the document frequencies of the terms [first, last), over eligible documents.

        eligible is u8[documents]; NULL counts all documents.
        """
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef uint64_t found = 0
        cdef uint32_t low, high, number
        cdef Py_ssize_t block, limit, count, k, least, most, middle
        cdef const uint8_t* base
        cdef Cursor cursor
        if eligible == NULL:
            low = self.shared_before(first)
            high = self.shared_before(last)
            if last - first > high - low:
                found = (last - first) - (high - low)
            for number in range(low, high):
                found += self.df[number]
            least, most = 0, self.frequent_count
            while least < most:
                middle = (least + most) // 2
                if self.frequent[middle] < low:
                    least = middle + 1
                else:
                    most = middle
            while least < self.frequent_count and self.frequent[least] < high:
                found += self.more[least]
                least += 1
            return found
        for block in range(self.block_count):
            self.seek(block, first, last, &cursor)
            base = eligible + block * BLOCK
            limit = documents - block * BLOCK
            while True:
                count = self.next_run(&cursor, docs, tfs)
                if count == 0:
                    break
                while count and docs[count - 1] >= limit:
                    count -= 1
                for k in range(count):
                    found += base[docs[k]] != 0
        return found

    def frequency(self, Py_ssize_t first, Py_ssize_t last, eligible=None):
        """Return the sum of the document frequencies of the terms [first, last), over eligible documents.

        eligible is u8[documents], or None to count all. Raises IndexError for terms that do not exist, ValueError for
        an `eligible` that ends before the last block.
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef uint64_t found
        cdef Py_ssize_t documents = 0
        if not 0 <= first <= last <= self.term_count:
            raise IndexError((first, last))
        if eligible is not None:
            view = eligible
            documents = view.shape[0]
            if documents <= (self.block_count - 1) * BLOCK:
                raise ValueError(f"{documents} documents are too few for these postings")
            if documents:
                mask = &view[0]
        if mask == NULL:  # sums of a few numbers take less time than releasing the GIL
            if self.loader is not None:
                self.loader.load_counts([(first, last)])
            return self.count(first, last, mask, documents)
        self.load([(first, last)])
        with nogil:
            found = self.count(first, last, mask, documents)
        return found

    def frequency_in(self, Py_ssize_t first, Py_ssize_t last, const uint32_t[::1] starts not None,
                     const uint32_t[::1] ends not None):
        """Return the sum of the document frequencies of the terms [first, last), over the documents in some ranges.

        The ranges [starts[k], ends[k]), u32, may reach beyond the last document; a document in two ranges counts twice.
        Only blocks that a range overlaps are read, each once. Raises IndexError for terms that do not exist, ValueError
        if starts and ends differ in length.
        """
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef Py_ssize_t k, block, count, ranges = starts.shape[0]
        cdef int64_t base
        cdef uint64_t found = 0
        cdef Cursor cursor
        if not 0 <= first <= last <= self.term_count:
            raise IndexError((first, last))
        if ends.shape[0] != ranges:
            raise ValueError("starts and ends differ in length")
        self.load([(first, last)])
        with nogil:
            for block in range(self.block_count):
                base = block * BLOCK
                if not reaches(starts, ends, base):
                    continue
                self.seek(block, first, last, &cursor)
                while True:
                    count = self.next_run(&cursor, docs, tfs)
                    if count == 0:
                        break
                    for k in range(ranges):
                        if starts[k] < ends[k] and starts[k] <= base + docs[count - 1] and ends[k] > base + docs[0]:
                            found += below(docs, count, ends[k] - base) - below(docs, count, starts[k] - base)
        return found

    def frequencies(self, list groups not None, uint64_t most):
        """Return a list with, for each of `groups`, the sum of the document frequencies of its members, at most `most`.

        A member (first, last, weight) stands for the terms [first, last); its weight is ignored. Raises IndexError for
        terms that do not exist.
        """
        cdef Py_ssize_t first, last
        cdef uint64_t found
        told = []
        if self.loader is not None:
            self.loader.load_counts([(member[0], member[1]) for group in groups for member in group])
        for group in groups:
            found = 0
            for first, last, _ in group:
                if not 0 <= first <= last <= self.term_count:
                    raise IndexError((first, last))
                found += self.count(first, last, NULL, 0)
            told.append(min(found, most))
        return told

    def postings(self, Py_ssize_t term):
        """Return the postings of one term: a list of (document, frequency), ascending by document.

        Raises IndexError for a term that does not exist.
        """
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef Py_ssize_t block, count, k
        cdef Cursor cursor
        if not 0 <= term < self.term_count:
            raise IndexError(term)
        self.load([(term, term + 1)])
        found = []
        for block in range(self.block_count):
            self.seek(block, term, term + 1, &cursor)
            while True:
                count = self.next_run(&cursor, docs, tfs)
                if count == 0:
                    break
                for k in range(count):
                    found.append((block * BLOCK + docs[k], tfs[k]))
        return found

    def keys(self, Py_ssize_t block, const int64_t[::1] numbers not None, const int64_t[::1] places not None,
             int64_t base):
        """Return the postings of a block with new term and document numbers, bytes of u64, for PostingsWriter.add().

        numbers, i64[terms], are the new term numbers; places, i64[documents], the new document numbers, -1 for a
        removed document. Only documents with new numbers in [base, base + 65,536) are returned. The result ascends if
        both arrays ascend. Raises IndexError for a block that does not exist, ValueError for another length of
        `numbers`.
        """
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef uint64_t* found = NULL
        cdef void* grown
        cdef Py_ssize_t size = 0, room = 0, count, k, term, lone = 0, shared = 0
        cdef Py_ssize_t limit = places.shape[0] - block * BLOCK
        cdef int64_t place
        cdef Cursor cursor
        if not 0 <= block < self.block_count:
            raise IndexError(block)
        if numbers.shape[0] != self.term_count:
            raise ValueError("numbers must have one number a term")
        self.load([(0, self.term_count)])
        try:
            with nogil:
                self.seek(block, 0, self.term_count, &cursor)
                cursor.lone, cursor.shared = cursor.lone_end, cursor.shared_end  # the loop opens each term itself
                for term in range(self.term_count):
                    count = 0
                    if not bitset_has(self.shared_bits, term):
                        if lone < self.lone_count and self.lone_blocks[lone] == block:
                            docs[0], tfs[0], count = self.lone_docs[lone], 1, 1
                        lone += 1
                    else:
                        if shared < self.shared_count and bitset_has(
                                self.block_bits + block * bitset_words(self.shared_count), shared):
                            count = self.open(&cursor, docs, tfs) or self.next_run(&cursor, docs, tfs)
                        shared += 1
                    while count:
                        if size + count > room:
                            room += room // 2 + BLOCK
                            grown = realloc(found, room * sizeof(uint64_t))
                            if grown == NULL:
                                raise MemoryError
                            found = <uint64_t*>grown
                        for k in range(count):
                            if docs[k] < limit:
                                place = places[block * BLOCK + docs[k]] - base
                                found[size] = <uint64_t>numbers[term] << 24 | <uint64_t>place << 8 | tfs[k]
                                size += 0 <= place < BLOCK
                        count = self.next_run(&cursor, docs, tfs)
            return PyBytes_FromStringAndSize(<char*>found, size * sizeof(uint64_t))
        finally:
            free(found)

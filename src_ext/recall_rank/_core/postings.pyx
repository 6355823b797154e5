"""Which documents hold a term, and how often: blocks of 65,536 documents, 16-bit local ids. packing.pyx writes them."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc

from recall_rank._core.bits cimport is_set, rank, ranks_of, words_of

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>

    #define RR_RUN 256

    static uint16_t rr_lanes[256][8];  /* of every set of eight bits the numbers of those that are set, first of all */
    static uint8_t rr_sizes[256];      /* and how many they are */
    static void rr_fill_lanes(void) {
        for (int set = 0; set < 256; set++) {
            int at = 0;
            for (int bit = 0; bit < 8; bit++)
                if (set >> bit & 1) rr_lanes[set][at++] = (uint16_t)bit;
            rr_sizes[set] = (uint8_t)at;
        }
    }
    /* The places of the first `count` bits that are set in `size` bytes, of which a few more than that are written;
       0 when there are fewer. No processor guesses how far it is from one to the next: there is no branch on that. */
    static inline int rr_places(const uint8_t* at, ptrdiff_t size, ptrdiff_t count, uint16_t* restrict out) {
        const uint16_t* stop = out + count;
        const uint8_t* end = at + size;
        for (uint16_t base = 0; at < end; at++, base = (uint16_t)(base + 8)) {
            const uint16_t* lane = rr_lanes[*at];
            for (int k = 0; k < 8; k++) out[k] = (uint16_t)(base + lane[k]);
            out += rr_sizes[*at];
            if (out >= stop) return 1;
        }
        return 0;
    }
    static inline uint32_t rr_low(const uint8_t* lows, uint32_t bit, uint32_t mask) {
        const uint8_t* at = lows + (bit >> 3);
        uint32_t four = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        return four >> (bit & 7) & mask;  /* compilers make one load of four */
    }
    /* The postings of the frame at *next, which is then that of the term's next frame, or NULL. `end` is where frames
       end; a few bytes more may be read. 0 when it is no frame, or its documents do not ascend from *least on. */
    static ptrdiff_t rr_frame(const uint8_t** next, const uint8_t* end, uint32_t* least, uint16_t* restrict docs,
                              uint8_t* restrict tfs) {
        const uint8_t* at = *next;
        uint16_t places[RR_RUN + 16];
        ptrdiff_t count, low_bits, high_size = 0, tf_size = 0;
        int counted, follows;
        uint16_t base = (uint16_t)*least, back = 0;
        const uint8_t *lows, *highs, *frequencies;
        *next = NULL;
        if (at >= end) return 0;
        count = at[0] + 1;
        low_bits = at[1] & 15;
        counted = at[1] >> 4 & 1;
        follows = at[1] >> 5 & 1;
        at += 2;
        if (counted | follows) high_size = *at++;
        if (counted & follows) {
            tf_size = at[0] | at[1] << 8;
            at += 2;
        }
        lows = at;
        highs = lows + ((count * low_bits + 7) >> 3);
        frequencies = highs + high_size;
        if (frequencies > end || !rr_places(highs, end - highs < 255 ? end - highs : 255, count, places)) return 0;
        if (low_bits == 0) {
            for (ptrdiff_t k = 0; k < count; k++) docs[k] = (uint16_t)(base + places[k]);
        } else if (low_bits == 8) {
            for (ptrdiff_t k = 0; k < count; k++)
                docs[k] = (uint16_t)(base + k + ((places[k] - k) << 8) + lows[k]);
        } else if (low_bits == 4) {
            for (ptrdiff_t k = 0; k < count; k += 2) {
                docs[k] = lows[k >> 1] & 15;
                docs[k + 1] = lows[k >> 1] >> 4;
            }
            for (ptrdiff_t k = 0; k < count; k++) docs[k] = (uint16_t)(base + k + ((places[k] - k) << 4) + docs[k]);
        } else {
            uint32_t mask = ((uint32_t)1 << low_bits) - 1, bit = 0;
            for (ptrdiff_t k = 0; k < count; k++, bit += (uint32_t)low_bits)
                docs[k] = (uint16_t)(base + k + ((places[k] - k) << low_bits) + rr_low(lows, bit, mask));
        }
        for (ptrdiff_t k = 1; k < count; k++) back |= (uint16_t)(docs[k] <= docs[k - 1]);
        if (back || docs[0] < *least) return 0;
        if (counted) {
            ptrdiff_t left = end - frequencies;
            if (!rr_places(frequencies, left < 8192 ? left : 8192, count, places)) return 0;
            tfs[0] = (uint8_t)(places[0] < 255 ? places[0] + 1 : 255);
            for (ptrdiff_t k = 1; k < count; k++) {
                uint16_t tf = (uint16_t)(places[k] - places[k - 1]);
                tfs[k] = (uint8_t)(tf < 255 ? tf : 255);
            }
        } else {
            memset(tfs, 1, (size_t)count);
        }
        *least = (uint32_t)docs[count - 1] + 1;
        if (follows) *next = frequencies + tf_size;
        return count;
    }
    """
    void rr_fill_lanes() noexcept nogil
    Py_ssize_t rr_frame(const uint8_t** next, const uint8_t* end, uint32_t* least, uint16_t* docs,
                        uint8_t* tfs) noexcept nogil

rr_fill_lanes()


cdef class Postings:
    """Borrowed columns as PostingsWriter.finish() gives them; they must not change.

    Raises ValueError when one of them is too short for another. What they hold is looked at when it is read: whatever
    it is, nothing outside is read, the documents of a term ascend, and a term that leads outside has no postings there.
    """

    # not __init__: it could run twice, and leave addresses of the first buffers behind
    def __cinit__(self, shared_bits not None, shared_ranks not None, lone_docs not None, lone_blocks not None,
                  df not None, frequent not None, more not None, block_starts not None, block_bits not None,
                  block_ranks not None, pointers not None, frames not None):
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
        self.lone_count = lone_docs_view.shape[0]
        self.shared_count = df_view.shape[0]
        self.frequent_count = frequent_view.shape[0]
        self.entry_count = pointers_view.shape[0]
        self.frames_size = frames_view.shape[0] - SPARE
        self.term_count = self.lone_count + self.shared_count
        self.block_count = starts_view.shape[0] - 1
        if (self.block_count < 0 or self.frames_size < 0 or lone_blocks_view.shape[0] != self.lone_count
                or more_view.shape[0] != self.frequent_count
                or shared_bits_view.shape[0] != words_of(self.term_count)
                or shared_ranks_view.shape[0] != ranks_of(self.term_count)
                or block_bits_view.shape[0] != self.block_count * words_of(self.shared_count)
                or block_ranks_view.shape[0] != self.block_count * ranks_of(self.shared_count)):
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

    def __len__(self):
        """Postings in all blocks."""
        return self.count(0, self.term_count, NULL, 0)

    cdef uint32_t shared_before(self, uint32_t term) noexcept nogil:
        """How many of the terms before `term` are shared."""
        cdef uint64_t found = rank(self.shared_bits, self.shared_ranks, term)
        return min(found, min(<uint64_t>term, <uint64_t>self.shared_count))

    cdef void seek(self, Py_ssize_t block, uint32_t first, uint32_t last, Cursor* cursor) noexcept nogil:
        """Stand before what a block holds of the terms [first, last)."""
        cdef Py_ssize_t words
        cursor.block = block
        cursor.at = NULL
        cursor.shared = cursor.shared_end = self.shared_before(first)
        if last == first + 1:
            cursor.shared_end += is_set(self.shared_bits, first)
        else:
            cursor.shared_end = self.shared_before(last)
        cursor.shared_end = min(cursor.shared_end, <uint32_t>self.shared_count)
        cursor.lone = first - cursor.shared
        cursor.lone_end = min(last - cursor.shared_end, <uint32_t>self.lone_count)
        if cursor.shared < cursor.shared_end:
            words = words_of(self.shared_count)
            cursor.entry = rank(self.block_bits + block * words, self.block_ranks + block * ranks_of(self.shared_count),
                                cursor.shared)

    cdef Py_ssize_t open(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil:
        """Begin with the next entry of the block; the postings, if one stands for itself, else 0."""
        cdef uint64_t entry = cursor.entry, start = self.starts[cursor.block]
        cdef uint32_t pointer
        cursor.entry += 1
        if entry >= <uint64_t>self.entry_count:
            return 0
        pointer = self.pointers[entry]
        if pointer >> 31:
            docs[0] = pointer & 0xFFFF
            tfs[0] = max(pointer >> 16 & 0xFF, 1)
            return 1
        if start < <uint64_t>self.frames_size and pointer < <uint64_t>self.frames_size - start:
            cursor.at = self.frames + start + pointer
            cursor.least = 0
        return 0

    cdef Py_ssize_t next_run(self, Cursor* cursor, uint16_t* docs, uint8_t* tfs) noexcept nogil:
        """Unpack more postings of one term, documents ascending, into room for ROOM; how many, 0 behind the last."""
        cdef Py_ssize_t count
        cdef uint32_t number
        while True:
            if cursor.at != NULL:
                count = rr_frame(&cursor.at, self.frames + self.frames_size, &cursor.least, docs, tfs)
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
                if is_set(self.block_bits + cursor.block * words_of(self.shared_count), number):
                    if self.open(cursor, docs, tfs):
                        return 1
            else:
                return 0

    cdef uint64_t count(self, uint32_t first, uint32_t last, const uint8_t* eligible,
                        Py_ssize_t documents) noexcept nogil:
        """Sum over the terms [first, last) of the documents that hold them; NULL `eligible` means all."""
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
            base = eligible + block * 65536
            limit = documents - block * 65536
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
        """Documents that hold the terms [first, last), summed over the terms; `eligible` is u8[documents] or None."""
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef uint64_t found
        cdef Py_ssize_t documents = 0
        if not 0 <= first <= last <= self.term_count:
            raise IndexError((first, last))
        if eligible is not None:
            view = eligible
            documents = view.shape[0]
            if documents <= (self.block_count - 1) * 65536:
                raise ValueError(f"{documents} documents are too few for these postings")
            if documents:
                mask = &view[0]
        with nogil:
            found = self.count(first, last, mask, documents)
        return found

    def postings(self, Py_ssize_t term):
        """(document, frequency) of one term, in document order."""
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef Py_ssize_t block, count, k
        cdef Cursor cursor
        if not 0 <= term < self.term_count:
            raise IndexError(term)
        found = []
        for block in range(self.block_count):
            self.seek(block, term, term + 1, &cursor)
            while True:
                count = self.next_run(&cursor, docs, tfs)
                if count == 0:
                    break
                for k in range(count):
                    found.append((block * 65536 + docs[k], tfs[k]))
        return found

    def keys(self, Py_ssize_t block, const int64_t[::1] numbers not None, const int64_t[::1] places not None,
             int64_t base):
        """The postings of a block as PostingsWriter.add() takes them, u64, ascending where numbers and places do.

        numbers[terms] are the terms' new numbers, places[documents] the documents' new ones. Told are the documents
        that go to [base, base + 65,536).
        """
        cdef uint16_t docs[ROOM]
        cdef uint8_t tfs[ROOM]
        cdef uint64_t* found = NULL
        cdef void* grown
        cdef Py_ssize_t size = 0, room = 0, count, k, term, lone = 0, shared = 0
        cdef Py_ssize_t limit = places.shape[0] - block * 65536
        cdef int64_t place
        cdef Cursor cursor
        if not 0 <= block < self.block_count:
            raise IndexError(block)
        if numbers.shape[0] != self.term_count:
            raise ValueError("numbers must have one number a term")
        try:
            with nogil:
                self.seek(block, 0, self.term_count, &cursor)
                cursor.lone, cursor.shared = cursor.lone_end, cursor.shared_end  # each is begun here, by its term
                for term in range(self.term_count):
                    count = 0
                    if not is_set(self.shared_bits, term):
                        if lone < self.lone_count and self.lone_blocks[lone] == block:
                            docs[0], tfs[0], count = self.lone_docs[lone], 1, 1
                        lone += 1
                    else:
                        if shared < self.shared_count and is_set(
                                self.block_bits + block * words_of(self.shared_count), shared):
                            count = self.open(&cursor, docs, tfs) or self.next_run(&cursor, docs, tfs)
                        shared += 1
                    while count:
                        if size + count > room:
                            room += room // 2 + 65536
                            grown = realloc(found, room * sizeof(uint64_t))
                            if grown == NULL:
                                raise MemoryError
                            found = <uint64_t*>grown
                        for k in range(count):
                            if docs[k] < limit:
                                place = places[block * 65536 + docs[k]] - base
                                found[size] = <uint64_t>numbers[term] << 24 | <uint64_t>place << 8 | tfs[k]
                                size += 0 <= place < 65536
                        count = self.next_run(&cursor, docs, tfs)
            return PyBytes_FromStringAndSize(<char*>found, size * sizeof(uint64_t))
        finally:
            free(found)

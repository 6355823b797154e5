"""Turn texts into documents, terms and postings, from which a segment is built."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from recall_rank._core.runtime.prefetch cimport rr_prefetch
from recall_rank._core.text.token_buffer cimport MAX_TERM, Token, buffer_clear, buffer_free, buffer_init, form_hash
from recall_rank._core.index.posting_frames cimport BLOCK as BLOCK_DOCS
from recall_rank._core.index.intern cimport Interner, Slot, intern, interner_free, interner_init, interner_prefetch
from recall_rank._core.text.form_order cimport FormKey, sort_forms
from recall_rank._core.index.packing cimport PostingsWriter
from recall_rank._core.text.tokens cimport tokenise
from recall_rank._core.text.utf8 cimport decode_code_points
from recall_rank._core.index.vocabulary cimport signature
from recall_rank._core.text.token_coverage cimport covers_alnum_runs, splits_alnum_run

cdef enum:
    LENGTHS = MAX_TERM + 2
    AHEAD = 12           # tokens or terms between prefetch and use
    PARTIAL = 4          # the term of documents that have runs of letters and digits in none of their tokens

BLOCK = BLOCK_DOCS

cdef struct Pair:
    uint32_t term
    uint16_t doc
    uint16_t tf


cdef object column(Py_ssize_t count, Py_ssize_t width, void** data):
    """Return an uninitialised bytes object of `count` items of `width` bytes, and set data[0] to its memory."""
    made = PyBytes_FromStringAndSize(NULL, count * width)
    data[0] = PyBytes_AS_STRING(made)
    return made


cdef class SegmentBuilder:
    """Collects documents, and returns the vocabulary and the postings of all of them.

    Documents are numbered in the order in which they are added. Postings are divided into blocks of 65,536 documents.
    No ranking weight is used here.
    """

    def __cinit__(self):
        buffer_init(&self.buffer)
        if interner_init(&self.table):
            raise MemoryError

    def __dealloc__(self):
        cdef uint32_t k
        buffer_free(&self.buffer)
        interner_free(&self.table)
        for k in range(self.block_count):
            free(self.blocks[k].pairs)
        free(self.blocks)
        free(self.signatures)

    def __len__(self):
        """The number of documents added so far."""
        return self.docs

    @property
    def terms(self):
        """The number of distinct terms so far."""
        return self.table.count

    cdef inline int count_term(self, Block* block, Slot* slot) noexcept nogil:
        """Count one more occurrence of a term in the current document, up to 255; return 0, or -1 if memory ran out.

        `slot` is that of the term in the hash table of terms, or NULL if memory ran out there.
        """
        cdef uint64_t wanted
        cdef void* grown
        cdef Pair* pair
        if slot == NULL:
            return -1
        if slot.doc == self.docs + 1:
            pair = block.pairs + slot.pair
            pair.tf += pair.tf < 255
            return 0
        if block.count == block.capacity:
            wanted = block.capacity + block.capacity // 2 + 65536
            grown = realloc(block.pairs, wanted * sizeof(Pair))
            if grown == NULL:
                return -1
            block.pairs = <Pair*>grown
            block.capacity = wanted
        pair = block.pairs + block.count
        pair.term = slot.number - 1
        pair.doc = self.docs & (BLOCK_DOCS - 1)
        pair.tf = 1
        slot.doc = self.docs + 1
        slot.pair = block.count
        block.count += 1
        return 0

    cdef Block* current(self) noexcept nogil:
        """Return the block of 65,536 documents of the current one, appended if it is new; NULL if memory ran out."""
        cdef uint32_t wanted = self.docs // BLOCK_DOCS + 1
        cdef void* grown
        if wanted > self.block_count:
            grown = realloc(self.blocks, wanted * sizeof(Block))
            if grown == NULL:
                return NULL
            self.blocks = <Block*>grown
            memset(self.blocks + self.block_count, 0, sizeof(Block))
            self.block_count = wanted
        return self.blocks + wanted - 1

    cdef int64_t add_document(self, const unsigned char* text, Py_ssize_t size, bint goes_on) noexcept nogil:
        """Count the terms of a text as the current document; return the number of its words, or -1 if memory ran out.

        `goes_on` tells whether the text ends inside a run of letters and digits. The caller may count terms of fields
        by add_field(), and then ends the document by adding 1 to `docs`.
        """
        cdef unsigned char[8] partial = [PARTIAL, 0, 0, 0, 0, 0, 0, 0]
        cdef Block* block = self.current()
        cdef Token* token
        cdef Py_ssize_t k
        if block == NULL:
            return -1
        buffer_clear(&self.buffer)
        tokenise(text, size, &self.buffer)
        if self.buffer.failed:
            return -1
        for k in range(self.buffer.count):
            if k + AHEAD < self.buffer.count:
                interner_prefetch(&self.table, self.buffer.items[k + AHEAD].hash)
            token = self.buffer.items + k
            if self.count_term(block, intern(&self.table, self.buffer.forms + token.form, token.size, token.length,
                                             token.hash)):
                return -1
        if goes_on or (self.buffer.partial and not covers_alnum_runs(text, size, &self.buffer)):
            if self.count_term(block, intern(&self.table, partial, 1, 1, form_hash(partial, 1))):
                return -1
        return self.buffer.words

    def add(self, bytes text not None, Py_ssize_t start, Py_ssize_t end, fields=()):
        """Add text[start:end] as the next document; return the number of its words.

        `fields` are (tag, bytes) pairs, a tag being one byte; each word of these bytes is counted as the term tag +
        word. The term "\\x04" is counted once in a document that a search for a literal must scan, because its tokens
        do not cover it: some run of three or more ASCII letters and digits is in no token, or `end` cuts a run in two.
        Raises IndexError for a range outside of the text, ValueError for a tag of another length or if the segment is
        finished.
        """
        cdef const unsigned char* data = text
        cdef int64_t words
        cdef Py_ssize_t size = len(text)
        if not 0 <= start <= end <= size:
            raise IndexError(f"no range {start}:{end} in {size} bytes")
        if self.frozen:
            raise ValueError("the segment is finished")
        with nogil:
            words = self.add_document(data + start, end - start, start < end and splits_alnum_run(data, end, size))
        if words < 0:
            raise MemoryError
        for tag, value in fields:
            self.tagged(tag, value)
        self.docs += 1
        return words

    cdef int tagged(self, bytes tag, bytes value) except -1:
        """Count each word of `value` as the term tag + word of the current document.

        Raises ValueError unless the tag is one byte.
        """
        if tag is None or len(tag) != 1:
            raise ValueError(f"the tag of a field is one byte, not {tag!r}")
        if self.add_field(tag[0], value, len(value)):
            raise MemoryError
        return 0

    cdef int add_field(self, unsigned char tag, const unsigned char* text, Py_ssize_t size) noexcept nogil:
        """Count each word of text[0:size] as the term tag + word of the current document; -1 if memory ran out, else 0.

        Words of MAX_TERM bytes, with which the term would be too long, are left out.
        """
        cdef unsigned char form[MAX_TERM + 16]
        cdef Py_ssize_t k, length
        cdef Token* token
        cdef Block* block = self.current()
        if block == NULL:
            return -1
        buffer_clear(&self.buffer)
        tokenise(text, size, &self.buffer)
        if self.buffer.failed:
            return -1
        for k in range(self.buffer.count):
            token = self.buffer.items + k
            length = token.size
            if length >= MAX_TERM:
                continue
            memset(form, 0, sizeof(form))
            form[0] = tag
            memcpy(form + 1, self.buffer.forms + token.form, length)
            if self.count_term(block, intern(&self.table, form, length + 1, token.length + 1,
                                             form_hash(form, length + 1))):
                return -1
        return 0

    def finish(self):
        """Return the vocabulary and the postings of all documents; no more can be added.

        It is a dict from names of columns to little-endian bytes: arena u8, the terms one after the other; offsets
        u32[terms + 1] of the terms in arena; starts u32[66], where starts[n] is the number of the first term with n or
        more code points; and signatures u32[terms], the letters of each term. "postings" has the tuple of the arguments
        of Postings. Raises ValueError for a second call.
        """
        return self.columns(True)

    def snapshot(self):
        """Return what finish() would return now; more documents can be added. Raises ValueError after finish()."""
        return self.columns(False)

    cdef dict columns(self, bint last):
        """Return the vocabulary and the postings; with `last`, free what they were made from."""
        if self.frozen:
            raise ValueError("the segment is finished")
        self.frozen = last
        cdef uint32_t* renumbered = <uint32_t*>malloc((self.table.count + 1) * sizeof(uint32_t))
        if renumbered == NULL:
            raise MemoryError
        try:
            made = self.vocabulary(renumbered)
            if last:
                free(self.table.memory)
                self.table.memory = NULL
            made["postings"] = self.postings(renumbered, last)
            return made
        finally:
            free(renumbered)

    cdef int sign_new_terms(self) except -1:
        """Compute the signatures, the letters, of the terms that were added since the last call."""
        cdef Interner* table = &self.table
        cdef uint32_t points[MAX_TERM]
        cdef uint32_t k
        cdef const unsigned char* form
        cdef void* grown = realloc(self.signatures, (table.count + <uint64_t>1) * sizeof(uint32_t))
        if grown == NULL:
            raise MemoryError
        self.signatures = <uint32_t*>grown
        with nogil:
            for k in range(self.signed_count, table.count):
                form = table.arena + table.places[k]
                self.signatures[k] = signature(points, decode_code_points(form, table.sizes[k], points))
        self.signed_count = table.count
        return 0

    cdef dict vocabulary(self, uint32_t* renumbered):
        """Return the vocabulary columns, a dict from name to bytes.

        Terms are sorted by their number of code points, then by bytes. renumbered[k] is set to the new number of the
        term that was the k-th to occur.
        """
        cdef Interner* table = &self.table
        cdef uint32_t count = table.count, k, number
        cdef uint32_t by_length[LENGTHS + 1]
        cdef uint64_t total = 0
        cdef int j, length
        cdef void* data
        cdef uint32_t* offsets
        cdef uint32_t* starts
        cdef uint32_t* signatures
        cdef unsigned char* arena
        cdef FormKey* keys
        self.sign_new_terms()
        memset(by_length, 0, sizeof(by_length))
        for k in range(count):
            total += table.sizes[k]
            by_length[table.lengths[k] + 1] += 1
        for j in range(1, LENGTHS + 1):
            by_length[j] += by_length[j - 1]
        starts_column = column(LENGTHS, 4, &data)
        starts = <uint32_t*>data
        memcpy(starts, by_length, LENGTHS * 4)
        arena_column = column(total, 1, &data)
        arena = <unsigned char*>data
        offsets_column = column(count + 1, 4, &data)
        offsets = <uint32_t*>data
        signatures_column = column(count, 4, &data)
        signatures = <uint32_t*>data
        keys = <FormKey*>malloc((count + <uint64_t>1) * 2 * sizeof(FormKey))
        if keys == NULL:
            raise MemoryError
        with nogil:
            for k in range(count):
                length = table.lengths[k]
                number = by_length[length]
                by_length[length] += 1
                keys[number].number = k
                keys[number].size = table.sizes[k]
                keys[number].form = table.arena + table.places[k]
                keys[number].prefix = 0
                for j in range(8):
                    keys[number].prefix = keys[number].prefix << 8 | keys[number].form[j]
            for length in range(LENGTHS - 1):
                sort_forms(keys + starts[length], keys + count, starts[length + 1] - starts[length])
            total = 0
            for k in range(count):
                if k + AHEAD < count:
                    rr_prefetch(keys[k + AHEAD].form)
                renumbered[keys[k].number] = k
                offsets[k] = total
                memcpy(arena + total, keys[k].form, keys[k].size)
                total += keys[k].size
                signatures[k] = self.signatures[keys[k].number]
            offsets[count] = total
        free(keys)
        return {"arena": arena_column, "offsets": offsets_column, "starts": starts_column,
                "signatures": signatures_column}

    cdef tuple postings(self, uint32_t* renumbered, bint last):
        """Return the tuple of the arguments of Postings; with `last`, free the postings that were collected.

        renumbered[k] is the number in the vocabulary of the term that was the k-th to occur.
        """
        cdef uint32_t count = self.table.count, b, term
        cdef uint64_t k, at, largest = 0
        cdef Block* block
        cdef PostingsWriter writer = PostingsWriter(count)
        cdef uint16_t* docs = NULL
        cdef uint8_t* tfs = NULL
        cdef uint64_t* ends = <uint64_t*>malloc((count + 1) * sizeof(uint64_t))
        for b in range(self.block_count):
            largest = max(largest, self.blocks[b].count)
        try:
            docs = <uint16_t*>malloc((largest + 1) * sizeof(uint16_t))
            tfs = <uint8_t*>malloc(largest + 1)
            if ends == NULL or docs == NULL or tfs == NULL:
                raise MemoryError
            with nogil:
                for b in range(self.block_count):
                    block = self.blocks + b
                    memset(ends, 0, (count + 1) * sizeof(uint64_t))
                    for k in range(block.count):
                        ends[renumbered[block.pairs[k].term] + 1] += 1
                    for term in range(count):
                        ends[term + 1] += ends[term]
                    for k in range(block.count):
                        term = renumbered[block.pairs[k].term]
                        at = ends[term]
                        ends[term] += 1
                        docs[at] = block.pairs[k].doc
                        tfs[at] = block.pairs[k].tf
                    if last:
                        free(block.pairs)
                        memset(block, 0, sizeof(Block))
                    at = 0
                    for term in range(count):
                        if ends[term] > at:
                            writer.put(term, docs + at, tfs + at, ends[term] - at)
                            at = ends[term]
                    writer.end_block()
        finally:
            free(ends)
            free(docs)
            free(tfs)
        return writer.finish()

"""Evidence of a query in one segment: scored documents, fused into hits, to which tiers of other hits are added."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawFree
from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from recall_rank._core.index.doc_columns cimport DocColumns, ShapeWeight
from recall_rank._core.index.postings cimport Postings
from recall_rank._core.runtime.scratch_pool cimport acquire, release
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.search.doc_scores cimport (BLOCK, BlockScratch, ReadTime, accumulate_blocks,
                                                  release_doc_scores, reserve_doc_scores)
from recall_rank._core.search.fusion cimport FusionWeights, HitRow, Run, count_hits, fold, message_room, score_run
from recall_rank._core.search.hits cimport (Threshold, best_first, can_bound, collect_best, drop_below, mark_parts,
                                            next_marked, release_hits, reserve_hits)

cdef enum:
    GIL_HITS = 1000  # up to so many hits, scoring takes less time than releasing and retaking the GIL


cdef class SegmentSource:
    """A segment as Evidence reads it: its columns, its postings, and its place in the numbering of an IndexReader.

    first_part and first_doc are the reader's numbers of the segment's part 0 and document 0. live_parts, u8[parts],
    marks the parts of sessions that are not deleted; None if no session is. session_runs is None if the reader numbers
    sessions as the segment does. Otherwise it is (firsts, numbers), two u32[runs]: session firsts[k] of the segment has
    the number numbers[k] in the reader, and the sessions up to firsts[k + 1] follow it in both. The buffers must not
    change. Raises ValueError if the postings have fewer blocks than the documents need, or if a buffer has another
    length.
    """

    def __cinit__(self, DocColumns columns not None, Postings postings not None, Py_ssize_t first_part=0,
                  Py_ssize_t first_doc=0, live_parts=None, session_runs=None):
        self.columns = columns
        self.postings = postings
        self.first_part = first_part
        self.first_doc = first_doc
        if postings.block_count * BLOCK < columns.docs:
            raise ValueError("there are documents without postings")
        self.has_dead = live_parts is not None
        if self.has_dead:
            self.live = live_parts
            if self.live.shape[0] != columns.parts:
                raise ValueError("live_parts must have one byte a part")
        if session_runs is not None:
            self.firsts, self.numbers = session_runs
            if self.firsts.shape[0] != self.numbers.shape[0]:
                raise ValueError("the buffers of session_runs differ in length")
            self.run_count = self.firsts.shape[0]

    cdef uint32_t session_number(self, uint32_t session) noexcept nogil:
        """Return the reader's number of a session, given its number in the segment. O(log(runs))."""
        cdef Py_ssize_t low = 0, high = self.run_count, middle
        if high == 0:
            return session
        while low + 1 < high:
            middle = low + (high - low) // 2
            if self.firsts[middle] <= session:
                low = middle
            else:
                high = middle
        return self.numbers[low] + session - self.firsts[low]


cdef class SegmentEvidence:
    """The evidence of one query in one segment. Used by one thread at a time; columns and postings are shared.

    The calls come in this order: prepare, accumulate, prepare_fuse, gather; then any of the others. Numbers of parts,
    documents and sessions are the segment's. Methods that end in `except -1` need the GIL and raise MemoryError.
    """

    def __cinit__(self, SegmentSource source not None):
        self.source = source
        self.columns = source.columns
        if source.has_dead and self.columns.parts:
            self.shown.live = &source.live[0]

    def __dealloc__(self):
        release_doc_scores(&self.scored)
        PyMem_RawFree(self.own_groups)
        release(self.runs, self.most_runs * sizeof(Run))
        release_hits(&self.best)
        release_hits(&self.hits)
        release(self.messages, message_room(self.columns) * sizeof(float))

    # --- documents -----------------------------------------------------------------------------------------

    cdef int prepare(self, CompiledQuery query, uint32_t first_term, uint32_t last_term) except -1:
        """Allocate the state for accumulate(). The segment's terms are [first_term, last_term) in the reader.

        Raises ValueError if a member of the query, a range of terms, begins in this segment and ends in another.
        """
        cdef Py_ssize_t k
        self.query = query
        self.groups = query.groups
        if first_term or last_term < query.term_count:
            query.restrict(first_term, last_term, &self.groups, &self.own_groups)
        if self.source.postings.loader is not None:
            members = range(self.groups.starts[self.groups.count])
            ranges = [(self.groups.firsts[k], self.groups.lasts[k]) for k in members]
            self.source.postings.load_counts(ranges)
            self.source.postings.load(ranges)
        if not reserve_doc_scores(&self.scored, self.columns.docs):
            raise MemoryError
        self.weights_buffer = self.columns.shape_weights(query.norms, query.class_weights)
        self.groups.shape_weights = <const ShapeWeight*>PyByteArray_AS_STRING(self.weights_buffer)
        self.shapes_buffer = self.columns.doc_shapes()
        self.shapes = <const uint16_t*>PyByteArray_AS_STRING(self.shapes_buffer)
        return 0

    cdef bint accumulate(self, BlockScratch* scratch, const ReadTime* time) noexcept nogil:
        """Score the documents block by block; return False if time was over before the last block.

        Documents of complete blocks keep their scores.
        """
        cdef Py_ssize_t docs = self.columns.docs
        cdef Py_ssize_t blocks = accumulate_blocks(self.source.postings, &self.groups, self.shapes, self.eligible, docs,
                                                   &self.scored, scratch, time)
        self.docs_done = min(docs, blocks * BLOCK)
        return blocks == self.source.postings.block_count

    # --- hits ----------------------------------------------------------------------------------------------

    cdef int prepare_fuse(self) except -1:
        """Allocate the state for gather(), after accumulate()."""
        self.most_runs = min(self.scored.count, self.columns.sessions) + 1
        self.runs = <Run*>acquire(self.most_runs * sizeof(Run))
        self.messages = <float*>acquire(message_room(self.columns) * sizeof(float))
        if self.runs == NULL or self.messages == NULL:
            raise MemoryError
        self.positions_buffer = self.columns.doc_positions()
        self.positions = <const uint32_t*>PyByteArray_AS_STRING(self.positions_buffer)
        return 0

    cdef void gather(self) noexcept nogil:
        """Fuse the documents into hits, one for each part that may be shown."""
        self.run_count = fold(&self.scored, self.columns, self.positions, self.runs)
        self.hit_count = count_hits(&self.scored, self.columns, &self.shown, self.runs, &self.run_count)

    cdef int score_all(self, const FusionWeights* weights) except -1:
        """Compute the fused score of every hit into `hits`, unless that was done before. Raises MemoryError."""
        if self.has_all:
            return 0
        if not reserve_hits(&self.hits, self.hit_count + 1):
            raise MemoryError
        if self.hit_count <= GIL_HITS:
            self.score(weights)
        else:
            with nogil:
                self.score(weights)
        self.has_all = True
        return 0

    cdef void score(self, const FusionWeights* weights) noexcept nogil:
        """Write the score of every hit to its row in `hits`."""
        cdef Py_ssize_t k
        for k in range(self.run_count):
            self.hits.count += score_run(&self.scored, self.runs + k, self.columns, &self.shown, weights, -INFINITY,
                                         self.messages, self.hits.rows + self.hits.count)

    cdef int prepare_best(self, Py_ssize_t count, const FusionWeights* weights) except -1:
        """Prepare find_best(): score all hits at once if there are at most `count`, or if scores have no upper bound.
        """
        if not self.has_all and (count >= self.hit_count or not can_bound(weights)):
            self.score_all(weights)
        return 0

    cdef bint find_best(self, const FusionWeights* weights, Threshold* threshold) noexcept nogil:
        """Collect the hits that can be among the best of the search into `best`, unless all are in `hits` already.

        Return False if memory ran out.
        """
        return self.has_all or collect_best(&self.scored, self.runs, self.run_count, self.columns, &self.shown, weights,
                                            threshold, self.messages, &self.best)

    cdef const HitRow* sorted_best(self, const Threshold* threshold, Py_ssize_t* found) noexcept nogil:
        """Return the hits that find_best() collected, best first, at most threshold.count.

        Their number is written to found[0].
        """
        cdef HitRow* rows = self.hits.rows
        cdef Py_ssize_t total = self.hit_count
        if not self.has_all:
            drop_below(&self.best, threshold)
            rows, total = self.best.rows, self.best.count
        found[0] = min(threshold.count, total)
        best_first(rows, total, found[0], self.columns)
        return rows

    cdef bint best_among(self, const uint8_t* parts, Py_ssize_t count) noexcept nogil:
        """Write the `count` best hits in the parts marked in u8[parts] to `best`, best first. O(hits).

        All hits must have been scored before. Return False if memory ran out.
        """
        cdef Py_ssize_t k, found = 0
        if not reserve_hits(&self.best, self.hit_count + 1):
            return False
        for k in range(self.hit_count):
            self.best.rows[found] = self.hits.rows[k]
            found += parts[self.hits.rows[k].part] != 0
        self.best.count = min(found, count)
        best_first(self.best.rows, found, self.best.count, self.columns)
        return True

    # --- extensions: hits of a further tier, after score_all() ---------------------------------------------

    cdef int append(self, uint32_t part, uint32_t doc, float score, float base, uint32_t tier) except -1:
        """Append one hit, whose part has none yet; a hit of a higher tier ranks behind all of a lower tier."""
        if not reserve_hits(&self.hits, self.hit_count + 1):
            raise MemoryError
        self.hits.rows[self.hit_count] = HitRow(score, base, part, doc, tier)
        self.hit_count += 1
        self.hits.count = self.hit_count
        return 0

    cdef int extend(self, SegmentEvidence other, float share, uint32_t tier) except -1:
        """Append the hits of `other` as hits of tier `tier`, their scores times `share`, unless their parts are hits
        already.

        `other` is the evidence of another query in the segment; all hits of both must have been scored before.
        """
        cdef Py_ssize_t k
        cdef const HitRow* hit
        cdef uint8_t* known = self.known_parts()
        try:
            for k in range(other.hit_count):
                hit = other.hits.rows + k
                if not known[hit.part]:
                    self.append(hit.part, hit.doc, share * hit.score, share * hit.base, tier)
        finally:
            release(known, self.columns.parts + 1)
        return 0

    cdef int extend_marked(self, const uint8_t* parts, uint32_t tier) except -1:
        """Append the parts marked in u8[parts] as hits of tier `tier` with score 0, unless they are hits already.

        The document of such a hit is the first of its part. Raises ValueError for a marked part without a document.
        """
        cdef Py_ssize_t part, doc = 0, more = 0, count = self.columns.parts
        cdef uint8_t* known = self.known_parts()
        try:
            for part in range(count):
                more += (parts[part] != 0) & (known[part] == 0)
            if not reserve_hits(&self.hits, self.hit_count + more):
                raise MemoryError
            with nogil:
                part = next_marked(parts, 0, count)
                while part < count and more >= 0:
                    if not known[part]:
                        more -= 1
                        doc = self.first_doc_of(part, doc)
                        if doc == self.columns.docs or more < 0:  # marks must not change; if they do, nothing breaks
                            break
                        self.hits.rows[self.hit_count] = HitRow(0, 0, part, doc, tier)
                        self.hit_count += 1
                    part = next_marked(parts, part + 1, count)
            self.hits.count = self.hit_count
            if part < count:
                raise ValueError(f"part {part} has no document")
        finally:
            release(known, count + 1)
        return 0

    cdef uint8_t* known_parts(self) except NULL:
        """Return marks u8[parts + 1], 1 for each part that is a hit. Raises MemoryError.

        The memory is from the scratch pool; the caller releases it, parts + 1 bytes.
        """
        cdef uint8_t* marks = <uint8_t*>acquire(self.columns.parts + 1)
        if marks == NULL:
            raise MemoryError
        memset(marks, 0, self.columns.parts + 1)
        mark_parts(&self.hits, marks)
        return marks

    cdef Py_ssize_t first_doc_of(self, uint32_t part, Py_ssize_t low) noexcept nogil:
        """Return the number of the first document of a part; of a part without one, the number of all documents.

        The document is `low` or behind it. Found by galloping: steps of doubled length, then binary search.
        """
        cdef Py_ssize_t step = 1, high, middle
        while low + step < self.columns.docs and self.columns.doc_part[low + step] < part:
            low += step
            step *= 2
        high = min(low + step, self.columns.docs)
        while low < high:
            middle = low + (high - low) // 2
            if self.columns.doc_part[middle] < part:
                low = middle + 1
            else:
                high = middle
        return low if low < self.columns.docs and self.columns.doc_part[low] == part else self.columns.docs

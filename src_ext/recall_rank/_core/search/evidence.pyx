"""The evidence of a query over a whole segment, and the hits it makes: accumulated, fused, told best first."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.math cimport INFINITY, logf
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from recall_rank._core.search.doc_scores cimport (BLOCK, Work, accumulate_blocks, release_documents, release_work,
                                           room_for_documents, room_for_work)
from recall_rank._core.search.fusion cimport (Run, add_around, add_in_times, fold, keep_only, release_around,
                                     room_for_around)
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.search.hits cimport (Hit, Hits, SessionHits, add_hit, best_first, copied, has_room, mark_parts,
                                     next_marked, release_hits)
from recall_rank._core.index.doc_columns cimport TALKS, DocColumns, Worth
from recall_rank._core.runtime.scratch_pool cimport lend, take_back
from recall_rank._core.index.postings cimport Postings
from recall_rank._core.search.top_k cimport Threshold, can_bound, leave_out, reach, release_least, room_for_least

cdef enum:
    BRIEF = 1000  # hits that are scored before another thread has woken up to take the lock


cdef class Evidence:
    """The evidence of one query over one segment. Not shared between threads; columns and postings are."""

    def __cinit__(self, DocColumns columns not None, Postings postings not None, eligible=None):
        self.columns = columns
        self.postings = postings
        if postings.block_count * BLOCK < columns.docs:
            raise ValueError("there are documents without postings")
        self.marked = eligible is not None
        if self.marked:
            self.eligible_view = eligible
            if self.eligible_view.shape[0] != columns.docs:
                raise ValueError("eligible must have one byte a document")

    def __dealloc__(self):
        release_documents(&self.held)
        PyMem_RawFree(self.own_groups)
        take_back(self.runs, self.most_runs * sizeof(Run))
        release_hits(self.best.hits, self.best.room)
        release_hits(self.hits, self.room)
        release_around(&self.around)

    def accumulate(self, CompiledQuery question not None, int64_t deadline_ns=0):
        """Add every group's evidence, newest block first; False when the deadline came before the last block.

        deadline_ns is a time.monotonic_ns(), 0 for none. Raises ValueError where the question names terms that do not
        exist.
        """
        cdef Work work
        cdef bint whole
        if question.term_count > self.postings.term_count:
            raise ValueError("a member names terms that do not exist")
        self.ask(question, 0, self.postings.term_count)
        if not room_for_work(&work):
            raise MemoryError
        with nogil:
            whole = self.read(&work, deadline_ns)
        release_work(&work)
        return whole

    cdef int ask(self, CompiledQuery question, uint32_t first_term, uint32_t last_term) except -1:
        """Get ready for read(): of the question count its terms [first_term, last_term), which are this segment's."""
        if self.accumulated:
            raise ValueError("accumulate() runs once")
        self.accumulated = True
        self.question = question
        self.groups = question.groups
        if first_term or last_term < question.term_count:
            question.share(first_term, last_term, &self.groups, &self.own_groups)
        if not room_for_documents(&self.held, self.columns.docs):
            raise MemoryError
        self.worths = self.columns.worths(question.norms, question.class_weights)
        self.groups.worths = <const Worth*>PyByteArray_AS_STRING(self.worths)
        self.shapes = self.columns.doc_shapes()
        self.shape = <const uint16_t*>PyByteArray_AS_STRING(self.shapes)
        return 0

    cdef bint read(self, Work* work, int64_t deadline) noexcept nogil:
        """Weigh the documents block by block; False when the deadline came before the last block."""
        cdef const uint8_t* mask = &self.eligible_view[0] if self.marked and self.columns.docs else NULL
        cdef Py_ssize_t docs = self.columns.docs
        self.blocks_done = accumulate_blocks(self.postings, &self.groups, self.shape, mask, docs, &self.held, work,
                                             deadline)
        self.docs_done = min(docs, self.blocks_done * BLOCK)
        return self.blocks_done == self.postings.block_count

    def add_times(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, float value):
        """Add `value` to every document with evidence whose message's time is in one of [starts[k], ends[k])."""
        if ends.shape[0] != starts.shape[0]:
            raise ValueError("starts and ends differ in length")
        if self.tiers:
            raise ValueError("times come before fuse()")
        with nogil:
            add_in_times(&self.held, self.columns, starts, ends, value)

    def fuse(self, neighbours not None, session not None, only=None, float echo=0, float echo_floor=0):
        """Collect the hit parts and add what their neighbours and session say; the number of hits.

        neighbours, 12: weights of the message one before, one behind, two before, two behind, for an agent at
        work, for a talk between people and for an agent that only talks. session, 4: weight of the L3 norm of
        the session's messages with an agent and between people, then of its title's evidence. `only` u8[parts]
        keeps some parts, None all.
        A question that was asked before is answered by what followed it: `echo` times what the evidence of the
        message that an agent's prose answers has above `echo_floor`.
        """
        self.begin_to_fuse(neighbours, session, only, echo, echo_floor)
        with nogil:
            self.gather()
        return self.hit_count

    cdef int begin_to_fuse(self, neighbours, session, only, float echo, float echo_floor) except -1:
        """Get ready for gather(), as fuse() is told."""
        cdef Py_ssize_t k
        if len(neighbours) != 4 * TALKS or len(session) != 4:
            raise ValueError("neighbours must be 12 weights and session 4")
        self.kept_only = only is not None
        if self.kept_only:
            self.only = only
            if self.only.shape[0] != self.columns.parts:
                raise ValueError("only must have one byte a part")
        if self.tiers:
            raise ValueError("fuse() runs once")
        self.tiers = 1
        for k in range(4 * TALKS):
            self.shares.neighbours[k] = neighbours[k]
        for k in range(4):
            self.shares.session[k] = session[k]
        self.shares.echo = echo
        self.shares.echo_floor = echo_floor
        self.most_runs = self.held.count + 1
        if self.columns.ordered and self.columns.sessions < self.held.count:
            self.most_runs = self.columns.sessions + 1
        self.runs = <Run*>lend(self.most_runs * sizeof(Run))
        if self.runs == NULL or not room_for_around(&self.around, self.columns):
            raise MemoryError
        self.places = self.columns.doc_places()
        self.place = <const uint32_t*>PyByteArray_AS_STRING(self.places)
        return 0

    cdef void gather(self) noexcept nogil:
        """Make hits of the documents: of each part its best passage, and what stands around it."""
        self.run_count = fold(&self.held, self.columns, self.place, &self.around, self.runs)
        if self.kept_only and self.columns.parts:
            self.run_count = keep_only(&self.held, self.columns, &self.only[0], self.runs, self.run_count)
        self.hit_count = self.held.count

    cdef int score_all(self) except -1:
        """Make a Hit of everything that is held, where that has not been done: top() may come along without."""
        if self.scored:
            return 0
        if not has_room(&self.hits, &self.room, self.held.count + 1):
            raise MemoryError
        if self.held.count <= BRIEF:
            self.score()
        else:
            with nogil:
                self.score()
        self.scored = True
        return 0

    cdef void score(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.run_count):
            add_around(&self.held, self.runs + k, self.columns, &self.around, &self.shares, -INFINITY,
                       self.hits + self.runs[k].first)

    cdef int begin_to_look(self, Py_ssize_t count) except -1:
        """Get ready for look(): all hits are scored where they are few, or nothing bounds what they may score."""
        if not self.scored and (count >= self.hit_count or not can_bound(&self.shares, self.columns)):
            self.score_all()
        return 0

    cdef bint look(self, Threshold* least) noexcept nogil:
        """Find the hits that may be among the best, unless all are scored; False when memory ran out."""
        return self.scored or reach(&self.held, self.runs, self.run_count, self.columns, &self.around, &self.shares,
                                    least, &self.best)

    cdef const Hit* first(self, const Threshold* least, Py_ssize_t* found) noexcept nogil:
        """After look() the best hits, best first, as many as are wanted; how many there are."""
        cdef Hit* hits = self.hits
        cdef Py_ssize_t total = self.hit_count
        if not self.scored:
            leave_out(&self.best, least)
            hits, total = self.best.hits, self.best.count
        found[0] = min(least.count, total)
        best_first(hits, total, found[0], self.columns)
        return hits

    def extend(self, Evidence other not None, float share):
        """Let the hits of `other` that are no hits yet follow as a tier of their own, with `share` of their scores."""
        cdef Py_ssize_t k
        cdef uint8_t* known
        if other.columns is not self.columns or other is self:
            raise ValueError("the other evidence is not of the same columns")
        other.score_all()
        known = self.known()
        try:
            for k in range(other.hit_count):
                if not known[other.hits[k].part]:
                    self.follow(other.hits[k].part, other.hits[k].doc, share * other.hits[k].score,
                                share * other.hits[k].base)
        finally:
            take_back(known, self.columns.parts + 1)
        self.tiers += 1

    def extend_marked(self, const unsigned char[::1] parts not None, const uint32_t[::1] first_docs not None):
        """Let the parts of parts u8[parts] that are no hits yet follow as a tier of their own, without any score.

        first_docs u32[parts + 1] are the parts' first documents.
        """
        cdef Py_ssize_t part, count = self.columns.parts
        cdef const uint8_t* marks = &parts[0] if parts.shape[0] else NULL
        cdef uint8_t* known
        if parts.shape[0] != count or first_docs.shape[0] != count + 1:
            raise ValueError("parts must have one byte a part, first_docs one number more")
        known = self.known()
        try:
            part = next_marked(marks, 0, count)
            while part < count:
                if not known[part]:
                    if first_docs[part] >= self.columns.docs:
                        raise ValueError(f"part {part} has no document")
                    self.follow(part, first_docs[part], 0, 0)
                part = next_marked(marks, part + 1, count)
        finally:
            take_back(known, count + 1)
        self.tiers += 1

    cdef uint8_t* known(self) except NULL:
        """Marks of the parts that are hits, u8[parts + 1], lent."""
        cdef uint8_t* marks
        self.score_all()
        marks = <uint8_t*>lend(self.columns.parts + 1)
        if marks == NULL:
            raise MemoryError
        memset(marks, 0, self.columns.parts + 1)
        mark_parts(self.hits, self.hit_count, marks)
        return marks

    cdef int follow(self, uint32_t part, uint32_t doc, float score, float base) except -1:
        """One more hit, of the tier that is being added."""
        if not has_room(&self.hits, &self.room, self.hit_count + 1):
            raise MemoryError
        self.hits[self.hit_count] = Hit(score, base, part, doc, self.tiers)
        self.hit_count += 1
        return 0

    def top(self, Py_ssize_t count):
        """The `count` best hits, best first.

        May be called again with a larger count: the hits are reordered, never lost.
        """
        cdef Py_ssize_t found
        cdef bint good
        cdef Threshold least
        cdef const Hit* hits
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        count = min(count, self.hit_count)
        if count == 0:
            return copied(NULL, 0)
        self.begin_to_look(count)
        if not room_for_least(&least, count):
            raise MemoryError
        with nogil:
            good = self.look(&least)
            hits = self.first(&least, &found)
        release_least(&least)
        if not good:
            raise MemoryError
        return copied(hits, found)

    def among(self, const unsigned char[::1] parts not None):
        """The hits of the marked parts u8[parts], in the order of the segment. O(hits)."""
        cdef Py_ssize_t k
        if parts.shape[0] != self.columns.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        found = [
            (self.hits[k].part, self.hits[k].doc, self.hits[k].score, self.hits[k].base, self.hits[k].tier)
            for k in range(self.hit_count) if parts[self.hits[k].part]
        ]
        found.sort()
        return Hits(found)

    def sessions(self):
        """The sessions that have hits, best first: (session, part, document, score, hits, title, tier).

        part is the best content part, or the title's where only the title is a hit; score and tier are those of the
        best hit of the session, title or not; `title` says whether the title is a hit.
        """
        cdef Py_ssize_t k
        cdef SessionHits* rows
        self.score_all()
        rows = <SessionHits*>PyMem_RawCalloc(self.columns.sessions + 1, sizeof(SessionHits))
        if rows == NULL:
            raise MemoryError
        try:
            with nogil:
                for k in range(self.hit_count):
                    add_hit(rows, self.hits + k, self.columns)
            found = [
                (k, rows[k].shown.part, rows[k].shown.doc, rows[k].best.score, rows[k].count, rows[k].title != 0,
                 rows[k].best.tier)
                for k in range(self.columns.sessions) if rows[k].count
            ]
        finally:
            PyMem_RawFree(rows)
        found.sort(key=by_score)
        return found

    def session_evidence(self, Py_ssize_t session):
        """After fuse() the L3 norm of the session's messages."""
        if not 0 <= session < self.columns.sessions or not self.tiers:
            raise IndexError(session)
        return self.around.session_sum[session]

    def mark_hits(self, unsigned char[::1] parts not None):
        """Set parts[p] to 1 for every hit part p."""
        if parts.shape[0] != self.columns.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        if self.hit_count:
            mark_parts(self.hits, self.hit_count, &parts[0])

    def write_scores(self, float[::1] scores not None):
        """Write each hit part's fused score into scores f32[parts]; other parts are left alone."""
        cdef Py_ssize_t k
        if scores.shape[0] != self.columns.parts:
            raise ValueError("scores must have one float a part")
        self.score_all()
        for k in range(self.hit_count):
            scores[self.hits[k].part] = self.hits[k].score


def by_score(row):
    return row[6], -row[3], row[0]


def idf(double documents, double frequency):
    """ln(1 + (N - n + .5) / (n + .5)): BM25's inverse document frequency, never negative."""
    return logf(1 + (documents - frequency + 0.5) / (frequency + 0.5))

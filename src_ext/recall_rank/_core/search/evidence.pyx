"""Evidence of a query: its scored documents over all segments, fused into hits, and the best of these."""

from operator import itemgetter

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_RawCalloc, PyMem_RawFree
from cpython.ref cimport PyObject
from libc.math cimport logf
from libc.stdint cimport int64_t, uint8_t, uint32_t

from recall_rank._core.index.doc_columns cimport TALKS
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.search.doc_scores cimport BlockScratch, ReadTime, release_scratch, reserve_scratch
from recall_rank._core.search.fusion cimport FusionWeights, HitRow, add_in_times
from recall_rank._core.search.hits cimport (Hits, SessionHitRow, Threshold, add_to_session, mark_parts,
                                            release_threshold, reserve_threshold)
from recall_rank._core.search.segment_evidence cimport SegmentEvidence, SegmentSource
from recall_rank._core.search.session_hits cimport SessionHits, SessionRow

LARGE = 1_048_576  # documents from which a segment has a thread of its own: below, starting it takes longer

cdef struct Slot:              # of one segment
    PyObject* evidence         # a SegmentEvidence, which Evidence.each owns
    const HitRow* best         # hits of the segment, best first
    Py_ssize_t count
    Py_ssize_t at              # the next one to be taken


cdef class Evidence:
    """The evidence, that is scored documents and hits, of one query over n >= 0 segments.

    Used by one thread at a time. `sources` are the SegmentSources of an IndexReader, in its order; parts, documents,
    sessions and terms have the reader's numbers. eligible, u8[docs of all segments], marks the documents that may be
    hits; None means all. At most `processors` large segments are read at the same time. The calls come in this order:
    accumulate(), add_times(), fuse(), then any of the others. Hits have a tier: every hit of a lower tier ranks before
    those of a higher one. Raises ValueError if the buffer has another length or the sources do not follow each other.
    """

    cdef tuple each
    cdef Slot* slots
    cdef Py_ssize_t count
    cdef Py_ssize_t parts
    cdef Py_ssize_t docs
    cdef Py_ssize_t processors
    cdef const uint8_t[::1] eligible
    cdef const uint8_t[::1] only
    cdef FusionWeights weights
    cdef bint accumulated
    cdef bint scores_all
    cdef readonly bint late       # the last top() ended at its deadline: hits that it did not score may be better
    cdef uint32_t tiers           # 1 after fuse(), and 1 more for every extension

    def __cinit__(self, sources not None, eligible=None, Py_ssize_t processors=1):
        cdef Py_ssize_t k
        cdef SegmentEvidence own
        self.processors = processors
        self.each = tuple([SegmentEvidence(source) for source in sources])
        self.count = len(self.each)
        self.slots = <Slot*>PyMem_Calloc(self.count + 1, sizeof(Slot))
        if self.slots == NULL:
            raise MemoryError
        for k in range(self.count):
            own = self.each[k]
            if own.source.first_part != self.parts or own.source.first_doc != self.docs:
                raise ValueError(f"segment {k} does not begin where the segment before it ends")
            self.slots[k].evidence = <PyObject*>own
            self.parts += own.columns.parts
            self.docs += own.columns.docs
        if eligible is None:
            return
        self.eligible = eligible
        if self.eligible.shape[0] != self.docs:
            raise ValueError("eligible must have one byte a document")
        if self.docs:
            for own in self.each:
                own.eligible = &self.eligible[0] + own.source.first_doc

    def __dealloc__(self):
        PyMem_Free(self.slots)

    @property
    def hit_count(self):
        """The number of hits of all tiers; every hit of a lower tier ranks before those of a higher one."""
        cdef SegmentEvidence own
        cdef Py_ssize_t found = 0
        for own in self.each:
            found += own.hit_count
        return found

    @property
    def docs_done(self):
        """The number of documents, from document 0 on, that accumulate() read before the deadline."""
        cdef SegmentEvidence own
        cdef Py_ssize_t done = 0
        for own in self.each:
            done += own.docs_done
            if own.docs_done < own.columns.docs:
                break
        return done

    # --- documents -----------------------------------------------------------------------------------------

    def accumulate(self, CompiledQuery query not None, int64_t deadline_ns=0, first_term=None, bint scores_all=False):
        """Score all eligible documents; return False if the deadline passed before the last block of documents.

        deadline_ns is a time.monotonic_ns(), 0 for none; scores_all says that sessions() or another call that scores
        every hit will follow, for which time is left. Blocks are read in the order of their documents, without the GIL;
        segments of LARGE documents or more are read at the same time by `processors` threads. first_term is given where
        the segments are a shard of an index by whose term numbers the query was made: the number there of the shard's
        first term. May be called once. Raises ValueError for a second call, and, without first_term, when the
        query names terms that do not exist.
        """
        cdef SegmentEvidence own
        cdef Py_ssize_t terms = 0, large = 0
        if self.accumulated:
            raise ValueError("accumulate() runs once")
        for own in self.each:
            terms += own.source.postings.term_count
            large += own.columns.docs >= LARGE
        if first_term is None and query.term_count > terms:
            raise ValueError("a member names terms that do not exist")
        self.accumulated, self.scores_all = True, scores_all
        terms = 0 if first_term is None else first_term
        for own in self.each:
            own.prepare(query, terms, terms + own.source.postings.term_count)
            terms += own.source.postings.term_count
        threads = min(large, self.processors)
        if threads < 2:
            return self.accumulate_segments(0, self.count, deadline_ns, 1)
        from concurrent.futures import ThreadPoolExecutor

        each = range(self.count)
        with ThreadPoolExecutor(threads) as pool:
            ends, deadlines = range(1, self.count + 1), [deadline_ns] * self.count
            return all(list(pool.map(self.accumulate_segments, each, ends, deadlines, [threads] * self.count)))

    def accumulate_segments(self, Py_ssize_t first, Py_ssize_t last, int64_t deadline_ns, Py_ssize_t threads):
        """Score the prepared segments [first, last) in turn; return False if the deadline passed before the end.

        Only accumulate() calls it, from `threads` threads for different segments.
        """
        cdef Py_ssize_t k
        cdef ReadTime time = ReadTime(deadline_ns, rr_monotonic_ns(), threads, 0, self.scores_all)
        cdef BlockScratch scratch
        cdef bint whole = True
        if not self.accumulated or not 0 <= first <= last <= self.count:
            raise IndexError((first, last))
        if not reserve_scratch(&scratch):
            raise MemoryError
        with nogil:
            for k in range(first, last):
                whole = whole and (<SegmentEvidence>self.slots[k].evidence).accumulate(&scratch, &time)
                time.found += (<SegmentEvidence>self.slots[k].evidence).scored.count
        release_scratch(&scratch)
        return whole

    def add_times(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, float value):
        """Add `value`, once, to every scored document whose message has a time, in ms, in a range [starts[k], ends[k]).

        Raises ValueError if starts and ends differ in length, and after fuse().
        """
        cdef SegmentEvidence own
        if ends.shape[0] != starts.shape[0]:
            raise ValueError("starts and ends differ in length")
        if self.tiers:
            raise ValueError("times come before fuse()")
        for own in self.each:
            with nogil:
                add_in_times(&own.scored, own.columns, starts, ends, value)

    # --- hits ----------------------------------------------------------------------------------------------

    def fuse(self, neighbours not None, session not None, only=None, float echo=0, float echo_floor=0,
             float echo_work=0):
        """Make a hit of every part with evidence, and return the number of hits; context adds to their scores.

        neighbours, 12 floats: weights of the best score of the message one before, one after, two before and two after;
        four for sessions in which an agent uses tools, four for those between people, four for those with an agent that
        only talks. session, 6 floats: the weights of the L3 norm of the session's messages, of its title's score and of
        the score of its best message, each for sessions with an agent and for those between people. `echo` weights, for
        an agent's prose that answers a user's message, that message's score where the agent uses tools, elsewhere how
        much it exceeds `echo_floor`; `echo_work` does so for whatever else the agent did in answer. only, u8[parts of
        all segments], marks the parts that may be hits, None means all; other parts still count as context. Raises
        ValueError for another number of weights or marks, and for a second call.
        """
        cdef SegmentEvidence own
        cdef Py_ssize_t k
        if len(neighbours) != 4 * TALKS or len(session) != 6:
            raise ValueError("neighbours must be 12 weights and session 6")
        if only is not None:
            self.only = only
            if self.only.shape[0] != self.parts:
                raise ValueError("only must have one byte a part")
        if self.tiers:
            raise ValueError("fuse() runs once")
        self.tiers = 1
        for k in range(4 * TALKS):
            self.weights.neighbours[k] = neighbours[k]
        for k in range(6):
            self.weights.session[k] = session[k]
        self.weights.echo = echo
        self.weights.echo_floor = echo_floor
        self.weights.echo_work = echo_work
        for own in self.each:
            if only is not None and self.parts:
                own.shown.only = &self.only[0] + own.source.first_part
            own.prepare_fuse()
        with nogil:
            for k in range(self.count):
                (<SegmentEvidence>self.slots[k].evidence).gather()
        return self.hit_count

    def extend(self, Evidence other not None, float share):
        """Append the hits of `other` as a new tier, their scores times `share`, unless their parts are hits already.

        Raises ValueError if `other` is this object or has other segments.
        """
        cdef SegmentEvidence own, others
        if other is self or other.count != self.count:
            raise ValueError("the other evidence is not of the same columns")
        for own, others in zip(self.each, other.each):
            if own.columns is not others.columns:
                raise ValueError("the other evidence is not of the same columns")
        other.score_all()
        self.score_all()
        for own, others in zip(self.each, other.each):
            own.extend(others, share, self.tiers)
        self.tiers += 1

    def extend_marked(self, const uint8_t[::1] parts not None):
        """Append the marked parts as a new tier with score 0, unless they are hits already.

        parts is u8[parts of all segments]. Raises ValueError for another length and for a marked part without a
        document.
        """
        cdef SegmentEvidence own
        if parts.shape[0] != self.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        if self.parts:
            for own in self.each:
                own.extend_marked(&parts[0] + own.source.first_part, self.tiers)
        self.tiers += 1

    cdef int score_all(self) except -1:
        """Compute the fused score of every hit of every segment, unless that was done before."""
        cdef SegmentEvidence own
        for own in self.each:
            own.score_all(&self.weights)
        return 0

    # --- what was found ------------------------------------------------------------------------------------

    def top(self, Py_ssize_t count, int64_t deadline_ns=0):
        """Return the `count` best hits, best first, as Hits.

        The order is: lower tier, higher score, newer message, then the reader's order. May be called again with any
        count. Hits that cannot be among the best are not scored; nor are, once `count` hits are, any others after
        `deadline_ns`, a time.monotonic_ns(), 0 for none: `late` tells so. Raises ValueError for a negative count.
        """
        cdef Py_ssize_t k
        cdef bint good = True
        cdef Threshold threshold
        cdef SegmentEvidence own
        cdef Hits found = Hits.__new__(Hits)
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        count = min(count, self.hit_count)
        if count == 0:
            found.reserve(0)
            return found
        for own in self.each:
            own.prepare_best(count, &self.weights)
        if not reserve_threshold(&threshold, count, deadline_ns):
            raise MemoryError
        with nogil:
            for k in range(self.count):
                good = good and (<SegmentEvidence>self.slots[k].evidence).find_best(&self.weights, &threshold)
            for k in range(self.count if good else 0):
                self.slots[k].at = 0
                self.slots[k].best = (<SegmentEvidence>self.slots[k].evidence).sorted_best(
                    &threshold, &self.slots[k].count)
        release_threshold(&threshold)
        if not good:
            raise MemoryError
        self.late = threshold.late
        self.merge_best(found.reserve(count), count)
        return found

    def top_among(self, Py_ssize_t count, const uint8_t[::1] parts not None):
        """Return the `count` best of the hits in the parts marked in u8[parts of all segments], as top() orders them.

        O(hits). Raises ValueError for a negative count and for another number of marks.
        """
        cdef Py_ssize_t k, most = 0
        cdef bint good = True
        cdef SegmentEvidence own
        cdef Hits found = Hits.__new__(Hits)
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        if parts.shape[0] != self.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        with nogil:
            for k in range(self.count if self.parts else 0):
                good = good and (<SegmentEvidence>self.slots[k].evidence).best_among(
                    &parts[0] + (<SegmentEvidence>self.slots[k].evidence).source.first_part, count)
        if not good:
            raise MemoryError
        for k in range(self.count if self.parts else 0):
            own = self.each[k]
            self.slots[k].at, self.slots[k].best, self.slots[k].count = 0, own.best.rows, own.best.count
            most += own.best.count
        count = min(count, most)
        self.merge_best(found.reserve(count), count)
        return found

    cdef int merge_best(self, HitRow* rows, Py_ssize_t count) except -1:
        """Write the `count` best of the segments' sorted hits to `rows`, best first, with the reader's numbers.

        O(count * segments).
        """
        cdef Py_ssize_t k, n
        cdef Slot* best
        for k in range(count):
            best = NULL
            for n in range(self.count):
                if self.slots[n].at < self.slots[n].count and (best == NULL or leads(self.slots + n, best)):
                    best = self.slots + n
            rows[k] = renumbered(best.best + best.at, (<SegmentEvidence>best.evidence).source)
            best.at += 1
        return 0

    def among(self, const uint8_t[::1] parts not None):
        """Return the Hits in the parts marked in u8[parts of all segments], ascending by part. O(hits)."""
        cdef Py_ssize_t k, part
        cdef SegmentEvidence own
        cdef Hits found = Hits.__new__(Hits)
        cdef HitRow* rows
        if parts.shape[0] != self.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        chosen = []
        for own in self.each:
            for k in range(own.hit_count):
                part = own.source.first_part + own.hits.rows[k].part
                if parts[part]:
                    chosen.append((part, k, own))
        chosen.sort(key=itemgetter(0))
        rows = found.reserve(len(chosen))
        for _, k, own in chosen:
            rows[0] = renumbered(own.hits.rows + k, own.source)
            rows += 1
        return found

    def sessions(self):
        """Return the SessionHits of this evidence: a record for every session with hits. O(hits)."""
        cdef Py_ssize_t k, most = 0
        cdef SessionHitRow* rows
        cdef SegmentEvidence own
        cdef SessionHits found = SessionHits.__new__(SessionHits)
        self.score_all()
        for own in self.each:
            most += own.columns.sessions
        found.reserve(most)
        for own in self.each:
            rows = <SessionHitRow*>PyMem_RawCalloc(own.columns.sessions + 1, sizeof(SessionHitRow))
            if rows == NULL:
                raise MemoryError
            try:
                with nogil:
                    for k in range(own.hit_count):
                        add_to_session(rows, own.hits.rows + k, own.columns)
                    for k in range(own.columns.sessions):
                        if rows[k].count:
                            found.rows[found.count] = SessionRow(
                                rows[k].best.score, own.source.session_number(k),
                                <uint32_t>own.source.first_part + rows[k].shown.part,
                                <uint32_t>own.source.first_doc + rows[k].shown.doc,
                                rows[k].count, rows[k].title, rows[k].best.tier)
                            found.count += 1
            finally:
                PyMem_RawFree(rows)
        found.finish()
        return found

    def mark_hits(self, uint8_t[::1] parts not None):
        """Set parts[p], u8[parts of all segments], to 1 for the part p of every hit; others keep their value."""
        cdef SegmentEvidence own
        if parts.shape[0] != self.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        for own in self.each:
            if own.hit_count:
                mark_parts(&own.hits, &parts[0] + own.source.first_part)

    def write_scores(self, float[::1] scores not None):
        """Write the fused score of every hit to scores f32[parts of all segments]; other parts keep their value."""
        cdef Py_ssize_t k
        cdef SegmentEvidence own
        if scores.shape[0] != self.parts:
            raise ValueError("scores must have one float a part")
        self.score_all()
        for own in self.each:
            for k in range(own.hit_count):
                scores[own.source.first_part + own.hits.rows[k].part] = own.hits.rows[k].score


cdef bint leads(const Slot* a, const Slot* b) noexcept:
    """Return whether the next hit of the segment in slot `a` ranks before that of the segment in slot `b`.

    Of equal hits, the one with the lower session number ranks first.
    """
    cdef SegmentEvidence one = <SegmentEvidence>a.evidence, other = <SegmentEvidence>b.evidence
    cdef const HitRow* left = a.best + a.at
    cdef const HitRow* right = b.best + b.at
    cdef uint32_t first, second
    if left.tier != right.tier:
        return left.tier < right.tier
    if left.score != right.score:
        return left.score > right.score
    first = one.columns.part_message[left.part]
    second = other.columns.part_message[right.part]
    if one.columns.message_time[first] != other.columns.message_time[second]:
        return one.columns.message_time[first] > other.columns.message_time[second]
    return (one.source.session_number(one.columns.message_session[first])
            < other.source.session_number(other.columns.message_session[second]))


cdef inline HitRow renumbered(const HitRow* hit, SegmentSource source) noexcept:
    """Return a hit of a segment with the part and document numbers of the reader."""
    return HitRow(hit.score, hit.base, <uint32_t>source.first_part + hit.part, <uint32_t>source.first_doc + hit.doc,
                  hit.tier)


def idf(double documents, double frequency):
    """Return the inverse document frequency of BM25 (Robertson and Zaragoza 2009), ln(1 + (N - n + 0.5) / (n + 0.5)).

    N is `documents`, the number of all documents; n is `frequency`, the number of those that contain the term. Never
    negative, because of the 1 that is added.
    """
    return logf(1 + (documents - frequency + 0.5) / (frequency + 0.5))

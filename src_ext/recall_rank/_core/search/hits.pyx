"""Hits of a search: their records, their order, and a search for the best of them that does not score all."""

from collections import namedtuple

from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from recall_rank._core.index.doc_columns cimport PEOPLE, TALKS, TITLE, WORK, DocColumns
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.runtime.scratch_pool cimport acquire, release
from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.fusion cimport FusionWeights, HitFilter, HitRow, Run, score_run

cdef enum:
    CLOCK_HITS = 4096  # hits that are scored between two reads of the clock; those of a session are scored at once

cdef float SLACK = 1.0001  # sums of equal numbers in another order differ by less than this factor

# A part with evidence: its number, its best passage, its fused score, the part's score without context, its tier.
Hit = namedtuple("Hit", ("part", "doc", "score", "base", "tier"))

cdef object new_row = tuple.__new__  # the record of a tuple of values: a third of the time of Hit(...)


cdef class Hits:
    """An immutable sequence of Hit records (part, doc, score, base, tier), in one allocation."""

    def __init__(self, rows=()):
        cdef HitRow* hit = self.reserve(len(rows))
        for part, doc, score, base, tier in rows:
            hit[0] = HitRow(score, base, part, doc, tier)
            hit += 1

    cdef HitRow* reserve(self, Py_ssize_t count) except NULL:
        """Allocate `count` zeroed rows, which the caller fills in; may be called once for each object."""
        if self.rows != NULL:
            raise ValueError("hits are made once")
        self.rows = <HitRow*>PyMem_Malloc(count * sizeof(HitRow))
        if self.rows == NULL:
            raise MemoryError
        memset(self.rows, 0, count * sizeof(HitRow))
        self.count = count
        return self.rows

    def __dealloc__(self):
        PyMem_Free(self.rows)

    def __len__(self):
        return self.count

    def __getitem__(self, Py_ssize_t at):
        if not 0 <= at < self.count:
            raise IndexError(at)
        return new_row(Hit, (self.rows[at].part, self.rows[at].doc, self.rows[at].score, self.rows[at].base,
                             self.rows[at].tier))

    def __iter__(self):
        return iter([self[k] for k in range(self.count)])

    @property
    def first_tier(self):
        """The number of hits of tier 0, which come first: those that the prefilter ranked by terms."""
        cdef Py_ssize_t found = 0
        while found < self.count and self.rows[found].tier == 0:
            found += 1
        return found

    def parts(self):
        """Return a list of the part number of every hit, in their order."""
        return [self.rows[k].part for k in range(self.count)]

    def docs(self):
        """Return a list of the document number of every hit's best passage, in their order."""
        return [self.rows[k].doc for k in range(self.count)]

    def taken(self, places not None):
        """Return the Hits at the indices `places`, in that order. Raises IndexError for an index outside."""
        cdef Hits found = Hits.__new__(Hits)
        cdef HitRow* hit = found.reserve(len(places))
        cdef Py_ssize_t at
        for at in places:
            if not 0 <= at < self.count:
                raise IndexError(at)
            hit[0] = self.rows[at]
            hit += 1
        return found


# --- buffers and marks ------------------------------------------------------------------------------------


cdef bint reserve_hits(HitBuffer* hits, Py_ssize_t wanted) noexcept nogil:
    """Grow the buffer to room for at least `wanted` rows, keeping its rows; return False if memory ran out.

    The buffer is unchanged then.
    """
    cdef Py_ssize_t more = 2 * wanted + 256
    cdef void* grown
    if wanted <= hits.room:
        return True
    grown = acquire(more * sizeof(HitRow))
    if grown == NULL:
        return False
    if hits.room:
        memcpy(grown, hits.rows, hits.room * sizeof(HitRow))
    release(hits.rows, hits.room * sizeof(HitRow))
    hits.rows = <HitRow*>grown
    hits.room = more
    return True


cdef void release_hits(HitBuffer* hits) noexcept nogil:
    """Free the rows of a buffer."""
    release(hits.rows, hits.room * sizeof(HitRow))


cdef void mark_parts(const HitBuffer* hits, uint8_t* parts) noexcept nogil:
    """Set parts[p], u8, to 1 for the part p of every hit; others keep their value."""
    cdef Py_ssize_t k
    for k in range(hits.count):
        parts[hits.rows[k].part] = 1


cdef Py_ssize_t next_marked(const uint8_t* marks, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
    """Return the first index from `at` on, below `count`, at which `marks` is not 0; else `count`. Fast if few are set.
    """
    cdef uint64_t eight
    while at < count:
        if at + 8 <= count:
            memcpy(&eight, marks + at, 8)
            if eight == 0:
                at += 8
                continue
        if marks[at]:
            break
        at += 1
    return at


# --- order ------------------------------------------------------------------------------------------------


cdef bint ranks_before(const HitRow* a, const HitRow* b, DocColumns columns) noexcept nogil:
    """Return whether `a` ranks before `b`: by lower tier, higher score, newer message, lower part number."""
    cdef int64_t left, right
    if a.tier != b.tier:
        return a.tier < b.tier
    if a.score != b.score:
        return a.score > b.score
    left = columns.message_time[columns.part_message[a.part]]
    right = columns.message_time[columns.part_message[b.part]]
    if left != right:
        return left > right
    return a.part < b.part


cdef void sink_hit(HitRow* hits, Py_ssize_t at, Py_ssize_t count, DocColumns columns) noexcept nogil:
    """Sift down the hit at `at` in a heap of `count` hits, whose root is the hit that ranks last."""
    cdef HitRow moved = hits[at]
    cdef Py_ssize_t child
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and ranks_before(&hits[child], &hits[child + 1], columns):
            child += 1
        if not ranks_before(&moved, &hits[child], columns):
            break
        hits[at] = hits[child]
        at = child
    hits[at] = moved


cdef void best_first(HitRow* hits, Py_ssize_t total, Py_ssize_t count, DocColumns columns) noexcept nogil:
    """Move the `count` best of `total` hits to the front, best first; the order of the others is unspecified."""
    cdef Py_ssize_t k
    cdef HitRow moved
    for k in range(count // 2 - 1, -1, -1):
        sink_hit(hits, k, count, columns)
    for k in range(count, total):
        if ranks_before(&hits[k], &hits[0], columns):
            moved = hits[0]
            hits[0] = hits[k]
            hits[k] = moved
            sink_hit(hits, 0, count, columns)
    for k in range(count - 1, 0, -1):
        moved = hits[0]
        hits[0] = hits[k]
        hits[k] = moved
        sink_hit(hits, 0, k, columns)


cdef bint represents_before(const HitRow* a, const HitRow* b) noexcept nogil:
    """Return whether hit `a` represents a session better than `b`: by lower tier, higher score, lower part number."""
    if a.tier != b.tier:
        return a.tier < b.tier
    if a.score != b.score:
        return a.score > b.score
    return a.part < b.part


cdef void add_to_session(SessionHitRow* rows, const HitRow* hit, DocColumns columns) noexcept nogil:
    """Count a hit in the row of its session, and make it the shown or the best hit of the session if it is better.

    `rows` has one row for each session of the segment. The title of a session is shown only if no content is a hit.
    """
    cdef SessionHitRow* row = rows + columns.message_session[columns.part_message[hit.part]]
    cdef bint content = columns.doc_class[hit.doc] != TITLE
    if not content:
        row.title = 1
    if (row.count == 0 or (content and not row.content)
            or (<uint32_t>content == row.content and represents_before(hit, row.shown))):
        row.shown = hit
        row.content = content
    if row.count == 0 or represents_before(hit, row.best):
        row.best = hit
    row.count += 1


# --- the best hits without scoring all: a session whose upper bound is below the threshold is skipped ------


cdef bint can_bound(const FusionWeights* weights) noexcept nogil:
    """Return whether context_bound() is an upper bound with these weights: if none is negative."""
    cdef int k
    cdef bint good = weights.echo >= 0 and weights.echo_work >= 0
    for k in range(4 * TALKS):
        good = good and weights.neighbours[k] >= 0
    for k in range(6):
        good = good and weights.session[k] >= 0
    return good


cdef float context_bound(const Run* run, DocColumns columns, const FusionWeights* weights) noexcept nogil:
    """Return an upper bound of what the context adds to the score of any hit of a run."""
    cdef int k, talk = columns.session_talk[run.session], people = talk == PEOPLE
    cdef float most = weights.session[people] * run.norm + weights.session[4 + people] * run.best_message
    cdef float asked = run.best_message - (0 if talk == WORK else weights.echo_floor)
    most += weights.session[2 + people] * run.title
    for k in range(4):
        most += weights.neighbours[talk * 4 + k] * run.best_message
    if asked > 0:
        most += max(weights.echo, weights.echo_work) * asked
    return most


cdef void sink_bound(Bound* bounds, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
    """Restore the max-heap `bounds` of `count` upper bounds after the one at index `at` was lowered."""
    cdef Bound moved = bounds[at]
    cdef Py_ssize_t child
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and bounds[child + 1].most > bounds[child].most:
            child += 1
        if not bounds[child].most > moved.most:
            break
        bounds[at] = bounds[child]
        at = child
    bounds[at] = moved


cdef void heapify(Bound* bounds, Py_ssize_t count) noexcept nogil:
    """Order bounds[0:count], the upper bounds of scores, as a max-heap."""
    cdef Py_ssize_t k
    for k in range(count // 2 - 1, -1, -1):
        sink_bound(bounds, k, count)


cdef bint reserve_threshold(Threshold* threshold, Py_ssize_t count, int64_t deadline) noexcept nogil:
    """Allocate an empty Threshold, which finds the lowest of the best `count` > 0 scores; False if memory ran out.

    release_threshold() frees it. `deadline` is in ns of the monotonic clock, 0 for none.
    """
    threshold.deadline = deadline
    threshold.late = False
    threshold.heap = <Bound*>PyMem_RawMalloc(count * sizeof(Bound))
    threshold.known = 0
    threshold.count = count
    return threshold.heap != NULL


cdef void release_threshold(Threshold* threshold) noexcept nogil:
    """Free the heap of a threshold."""
    PyMem_RawFree(threshold.heap)


cdef void keep_best(HitBuffer* hits, Py_ssize_t more, Threshold* threshold) noexcept nogil:
    """Append, of the `more` rows that stand behind the last hit of the buffer, those that reach the threshold.

    Their scores raise the threshold, the lowest score that can still be among the best.
    """
    cdef Py_ssize_t k, first = hits.count
    cdef float score
    for k in range(first, first + more):
        score = hits.rows[k].score
        if threshold.known == threshold.count and -score > threshold.heap[0].most:
            continue  # not where equal: which of equal hits is the newest is not known yet
        hits.rows[hits.count] = hits.rows[k]
        hits.count += 1
        if threshold.known < threshold.count:
            threshold.heap[threshold.known].most = -score
            threshold.known += 1
            if threshold.known == threshold.count:
                heapify(threshold.heap, threshold.count)
        elif -score < threshold.heap[0].most:
            threshold.heap[0].most = -score
            sink_bound(threshold.heap, 0, threshold.count)


cdef bint collect_best(const DocScores* scored, const Run* runs, Py_ssize_t run_count, DocColumns columns,
                       const HitFilter* shown, const FusionWeights* weights, Threshold* threshold,
                       float* messages, HitBuffer* hits) noexcept nogil:
    """Fill the buffer with all hits of a segment that can be among the best of the search, and maybe others, unordered.

    Return False if memory ran out. Runs, each the hits of a session, are scored by descending upper bound until no
    bound reaches the threshold. O(runs + log(runs) * scored runs); scoring every hit would be O(hits).
    can_bound() must hold. It ends at the threshold's deadline, too: the runs that are left have the lowest bounds.
    """
    cdef Py_ssize_t size = (run_count + 1) * sizeof(Bound)
    cdef Bound* bounds = <Bound*>acquire(size)
    cdef Py_ssize_t k, more, left = run_count, scored_since = CLOCK_HITS
    cdef const Run* run
    cdef float lowest = -INFINITY
    cdef bint good = bounds != NULL
    hits.count = 0
    if good:
        for k in range(run_count):
            bounds[k].run = k
            bounds[k].most = (runs[k].best_part + context_bound(runs + k, columns, weights)) * SLACK
        heapify(bounds, run_count)
    while good and left and not (
            threshold.known == threshold.count and bounds[0].most < -threshold.heap[0].most):
        if threshold.deadline and scored_since >= CLOCK_HITS and threshold.known == threshold.count:
            scored_since = 0
            threshold.late = rr_monotonic_ns() >= threshold.deadline
            if threshold.late:
                break
        run = runs + bounds[0].run
        scored_since += run.last - run.first
        good = reserve_hits(hits, hits.count + run.hits)
        if good:
            # a part with less evidence of its own cannot reach the threshold, whatever its context adds
            if threshold.known == threshold.count:
                lowest = -threshold.heap[0].most / SLACK - context_bound(run, columns, weights)
            more = score_run(scored, run, columns, shown, weights, lowest, messages, hits.rows + hits.count)
            keep_best(hits, more, threshold)
            left -= 1
            bounds[0] = bounds[left]
            if left:
                sink_bound(bounds, 0, left)
    release(bounds, size)
    return good


cdef void drop_below(HitBuffer* hits, const Threshold* threshold) noexcept nogil:
    """Remove the hits whose scores are below the threshold, which has risen since they were collected."""
    cdef Py_ssize_t k, kept = 0
    for k in range(hits.count):
        if threshold.known < threshold.count or -hits.rows[k].score <= threshold.heap[0].most:
            hits.rows[kept] = hits.rows[k]
            kept += 1
    hits.count = kept

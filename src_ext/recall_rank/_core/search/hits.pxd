from libc.stdint cimport int64_t, uint8_t, uint32_t

from recall_rank._core.index.doc_columns cimport DocColumns
from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.fusion cimport FusionWeights, HitFilter, HitRow, Run

cdef struct HitBuffer:      # hits of one segment, in a growing allocation
    HitRow* rows
    Py_ssize_t count
    Py_ssize_t room         # rows that fit

cdef struct SessionHitRow:  # hits of one session
    const HitRow* shown     # best content, or the title when only the title is a hit
    const HitRow* best
    uint32_t count
    uint32_t title          # 1 when the title is a hit
    uint32_t content        # 1 when `shown` is content

cdef struct Bound:
    float most              # upper bound of the scores of a run
    Py_ssize_t run

cdef struct Threshold:      # the `count` best scores so far, of all segments of a search
    Bound* heap             # negated scores, a max-heap: the root is the worst of the best
    Py_ssize_t known        # scores in the heap
    Py_ssize_t count        # scores wanted
    int64_t deadline        # ns of the monotonic clock, 0 for none; behind it no more than `count` scores are made
    bint late               # the deadline ended the search for the best

cdef class Hits:
    cdef HitRow* rows
    cdef Py_ssize_t count
    cdef HitRow* reserve(self, Py_ssize_t count) except NULL

cdef bint reserve_hits(HitBuffer* hits, Py_ssize_t wanted) noexcept nogil
cdef void release_hits(HitBuffer* hits) noexcept nogil
cdef void mark_parts(const HitBuffer* hits, uint8_t* parts) noexcept nogil
cdef Py_ssize_t next_marked(const uint8_t* marks, Py_ssize_t at, Py_ssize_t count) noexcept nogil
cdef void add_to_session(SessionHitRow* rows, const HitRow* hit, DocColumns columns) noexcept nogil
cdef void best_first(HitRow* hits, Py_ssize_t total, Py_ssize_t count, DocColumns columns) noexcept nogil
cdef bint can_bound(const FusionWeights* weights) noexcept nogil
cdef bint reserve_threshold(Threshold* threshold, Py_ssize_t count, int64_t deadline) noexcept nogil
cdef void release_threshold(Threshold* threshold) noexcept nogil
cdef bint collect_best(const DocScores* scored, const Run* runs, Py_ssize_t run_count, DocColumns columns,
                       const HitFilter* shown, const FusionWeights* weights, Threshold* threshold,
                       float* messages, HitBuffer* hits) noexcept nogil
cdef void drop_below(HitBuffer* hits, const Threshold* threshold) noexcept nogil

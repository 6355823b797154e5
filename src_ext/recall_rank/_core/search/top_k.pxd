from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.fusion cimport ContextScores, Run, FusionWeights
from recall_rank._core.search.hits cimport Hit
from recall_rank._core.index.doc_columns cimport DocColumns

cdef struct Found:        # hits that may be among the best
    Hit* hits
    Py_ssize_t count
    Py_ssize_t room

cdef struct Bound:
    float most            # no hit of the run scores more
    Py_ssize_t run

cdef struct Threshold:        # the best scores so far, whatever segment they are of
    Bound* heap           # below zero, so that the worst is its root
    Py_ssize_t known
    Py_ssize_t count      # how many are wanted

cdef bint can_bound(const FusionWeights* shares, DocColumns columns) noexcept nogil
cdef bint room_for_least(Threshold* least, Py_ssize_t count) noexcept nogil
cdef void release_least(Threshold* least) noexcept nogil
cdef bint reach(const DocScores* held, const Run* runs, Py_ssize_t run_count, DocColumns columns,
                const ContextScores* around, const FusionWeights* shares, Threshold* least, Found* found) noexcept nogil
cdef void leave_out(Found* found, const Threshold* least) noexcept nogil

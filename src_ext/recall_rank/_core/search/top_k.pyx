"""The best hits without scoring them all: of sessions that cannot reach them, none is looked at."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport INFINITY

from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.fusion cimport ContextScores, Run, FusionWeights, add_around
from recall_rank._core.search.hits cimport has_room
from recall_rank._core.index.doc_columns cimport PEOPLE, TALKS, DocColumns
from recall_rank._core.runtime.scratch_pool cimport lend, take_back

cdef float SLACK = 1.0001  # sums of the same numbers in another order differ by less


cdef bint can_bound(const FusionWeights* shares, DocColumns columns) noexcept nogil:
    """Whether what stands around a part can only add to it, and only what its run tells of."""
    cdef int k
    cdef bint good = columns.ordered and shares.echo >= 0
    for k in range(4 * TALKS):
        good = good and shares.neighbours[k] >= 0
    for k in range(4):
        good = good and shares.session[k] >= 0
    return good


cdef float most_around(const Run* run, DocColumns columns, const ContextScores* around,
                       const FusionWeights* shares) noexcept nogil:
    """At least what stands around any hit of the run adds to it."""
    cdef int k, talk = columns.session_talk[run.session], people = talk == PEOPLE
    cdef float most = shares.session[people] * around.session_sum[run.session]
    cdef float asked = (run.said if columns.asked_inside else around.best) - shares.echo_floor
    most += shares.session[2 + people] * around.session_title[run.session]
    for k in range(4):
        most += shares.neighbours[talk * 4 + k] * run.said
    if asked > 0:
        most += shares.echo * asked
    return most


cdef void sink(Bound* bounds, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
    """Restore the heap below `at`; its root is the highest bound."""
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


cdef void heap_of(Bound* bounds, Py_ssize_t count) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(count // 2 - 1, -1, -1):
        sink(bounds, k, count)


cdef bint room_for_least(Threshold* least, Py_ssize_t count) noexcept nogil:
    """Nothing is known of the `count` best, count > 0; False when memory ran out."""
    least.heap = <Bound*>PyMem_RawMalloc(count * sizeof(Bound))
    least.known = 0
    least.count = count
    return least.heap != NULL


cdef void release_least(Threshold* least) noexcept nogil:
    PyMem_RawFree(least.heap)


cdef void note(Found* found, Py_ssize_t first, Py_ssize_t more, Threshold* least) noexcept nogil:
    """Keep of the `more` hits behind the first those that may be among the best."""
    cdef Py_ssize_t k, kept = first
    cdef float score
    for k in range(first, first + more):
        score = found.hits[k].score
        if least.known == least.count and -score > least.heap[0].most:
            continue  # of equals, any may be the newest
        found.hits[kept] = found.hits[k]
        kept += 1
        if least.known < least.count:
            least.heap[least.known].most = -score
            least.known += 1
            if least.known == least.count:
                heap_of(least.heap, least.count)
        elif -score < least.heap[0].most:
            least.heap[0].most = -score
            sink(least.heap, 0, least.count)
    found.count = kept


cdef bint reach(const DocScores* held, const Run* runs, Py_ssize_t run_count, DocColumns columns,
                const ContextScores* around, const FusionWeights* shares, Threshold* least,
                Found* found) noexcept nogil:
    """Collect, in no order, hits among which those of this segment are that belong to the best; False when memory ran
    out.

    The sessions that could score most come first. They end where none is left that could reach the worst of the best.
    """
    cdef Py_ssize_t size = (run_count + 1) * sizeof(Bound)
    cdef Bound* bounds = <Bound*>lend(size)
    cdef Py_ssize_t k, more, left = run_count
    cdef const Run* run
    cdef float lowest = -INFINITY
    cdef bint good = bounds != NULL
    found.count = 0
    if good:
        for k in range(run_count):
            bounds[k].run = k
            bounds[k].most = (runs[k].most + most_around(runs + k, columns, around, shares)) * SLACK
        heap_of(bounds, run_count)
    while good and left and not (least.known == least.count and bounds[0].most < -least.heap[0].most):
        run = runs + bounds[0].run
        more = run.last - run.first
        good = has_room(&found.hits, &found.room, found.count + more)
        if good:
            # what would have to be around the others to score as much as the worst of the best is not
            if least.known == least.count:
                lowest = -least.heap[0].most / SLACK - most_around(run, columns, around, shares)
            more = add_around(held, run, columns, around, shares, lowest, found.hits + found.count)
            note(found, found.count, more, least)
            left -= 1
            bounds[0] = bounds[left]
            if left:
                sink(bounds, 0, left)
    take_back(bounds, size)
    return good


cdef void leave_out(Found* found, const Threshold* least) noexcept nogil:
    """Leave out what later hits have overtaken."""
    cdef Py_ssize_t k, kept = 0
    for k in range(found.count):
        if least.known < least.count or -found.hits[k].score <= least.heap[0].most:
            found.hits[kept] = found.hits[k]
            kept += 1
    found.count = kept

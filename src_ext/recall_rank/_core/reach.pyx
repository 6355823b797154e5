"""The best hits without scoring them all: of sessions that cannot reach them, none is looked at."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc

from recall_rank._core.accumulate cimport Held
from recall_rank._core.fuse cimport Around, Run, Shares, add_around
from recall_rank._core.hits cimport has_room
from recall_rank._core.layout cimport PEOPLE, TALKS, Layout

cdef float SLACK = 1.0001  # sums of the same numbers in another order differ by less


cdef struct Bound:
    float most         # no hit of the run scores more
    Py_ssize_t run


cdef bint can_bound(const Shares* shares, Layout layout) noexcept nogil:
    """Whether what stands around a part can only add to it, and only what its run tells of."""
    cdef int k
    cdef bint good = layout.ordered and shares.echo >= 0
    for k in range(4 * TALKS):
        good = good and shares.neighbours[k] >= 0
    for k in range(4):
        good = good and shares.session[k] >= 0
    return good


cdef float most_of(const Run* run, Layout layout, const Around* around, const Shares* shares) noexcept nogil:
    """At least what any hit of the run scores."""
    cdef int k, talk = layout.session_talk[run.session], people = talk == PEOPLE
    cdef float most = run.most + shares.session[people] * around.session_sum[run.session]
    cdef float asked = (run.said if layout.asked_inside else around.best) - shares.echo_floor
    most += shares.session[2 + people] * around.session_title[run.session]
    for k in range(4):
        most += shares.neighbours[talk * 4 + k] * run.said
    if asked > 0:
        most += shares.echo * asked
    return most * SLACK


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


cdef Py_ssize_t note(Found* found, Py_ssize_t first, Py_ssize_t more, Bound* least, Py_ssize_t known,
                     Py_ssize_t count) noexcept nogil:
    """Keep of the `more` hits behind the first those that may be among the `count` best; least[count] is the heap of
    the best scores so far, `known` of them, below zero so that the worst is its root. How many these are now."""
    cdef Py_ssize_t k, kept = first
    cdef float score
    for k in range(first, first + more):
        score = found.hits[k].score
        if known == count and -score > least[0].most:
            continue  # of equals, any may be the newest
        found.hits[kept] = found.hits[k]
        kept += 1
        if known < count:
            least[known].most = -score
            known += 1
            if known == count:
                heap_of(least, count)
        elif -score < least[0].most:
            least[0].most = -score
            sink(least, 0, count)
    found.count = kept
    return known


cdef bint reach(const Held* held, const Run* runs, Py_ssize_t run_count, Layout layout, const Around* around,
                const Shares* shares, Py_ssize_t count, Found* found) noexcept nogil:
    """Collect, in no order, hits among which the `count` best are, count > 0; False when memory ran out.

    The sessions that could score most come first. They end where none is left that could reach the worst of the best.
    """
    cdef Bound* bounds = <Bound*>PyMem_RawMalloc((run_count + 1) * sizeof(Bound))
    cdef Bound* least = <Bound*>PyMem_RawMalloc(count * sizeof(Bound))
    cdef Py_ssize_t k, more, left = run_count, known = 0
    cdef const Run* run
    cdef bint good = bounds != NULL and least != NULL
    found.count = 0
    if good:
        for k in range(run_count):
            bounds[k].run = k
            bounds[k].most = most_of(runs + k, layout, around, shares)
        heap_of(bounds, run_count)
    while good and left and not (known == count and bounds[0].most < -least[0].most):
        run = runs + bounds[0].run
        more = run.last - run.first
        good = has_room(&found.hits, &found.room, found.count + more)
        if good:
            add_around(held, run, layout, around, shares, found.hits + found.count)
            known = note(found, found.count, more, least, known, count)
            left -= 1
            bounds[0] = bounds[left]
            if left:
                sink(bounds, 0, left)
    PyMem_RawFree(bounds)
    PyMem_RawFree(least)
    return good

from recall_rank._core.accumulate cimport Held
from recall_rank._core.fuse cimport Around, Run, Shares
from recall_rank._core.hits cimport Hit
from recall_rank._core.layout cimport Layout

cdef struct Found:        # hits that may be among the best
    Hit* hits
    Py_ssize_t count
    Py_ssize_t room

cdef bint can_bound(const Shares* shares, Layout layout) noexcept nogil
cdef bint reach(const Held* held, const Run* runs, Py_ssize_t run_count, Layout layout, const Around* around,
                const Shares* shares, Py_ssize_t count, Found* found) noexcept nogil

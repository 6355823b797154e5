from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.search.doc_scores cimport QueryGroups

cdef class CompiledQuery:
    cdef QueryGroups groups
    cdef Py_ssize_t members
    cdef uint32_t term_count  # one more than the largest term number of a member
    cdef void* memory         # one allocation for the arrays below
    cdef uint32_t* starts
    cdef uint32_t* firsts
    cdef uint32_t* lasts
    cdef float* weights
    cdef float* factors
    cdef uint8_t* joint
    cdef const float[:, ::1] norms
    cdef const float[::1] class_weights
    cdef int append_group(self, members, bint joint) except -1
    cdef void merge_equal(self, double* factors) noexcept nogil
    cdef bint is_half(self, Py_ssize_t group, Py_ssize_t count) noexcept nogil
    cdef Py_ssize_t find_equal(self, Py_ssize_t group, Py_ssize_t kept) noexcept nogil
    cdef int restrict(self, uint32_t first_term, uint32_t last_term, QueryGroups* own, uint32_t** memory) except -1

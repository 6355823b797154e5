from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.accumulate cimport Groups

cdef class Question:
    cdef Groups groups
    cdef Py_ssize_t members
    cdef uint32_t term_count  # terms that there have to be
    cdef const uint32_t[::1] starts
    cdef const uint32_t[::1] firsts
    cdef const uint32_t[::1] lasts
    cdef const float[::1] weights
    cdef const float[::1] factors
    cdef const uint8_t[::1] joint
    cdef const float[:, ::1] norms
    cdef const float[::1] class_weights
    cdef int share(self, uint32_t first_term, uint32_t last_term, Groups* own, uint32_t** memory) except -1

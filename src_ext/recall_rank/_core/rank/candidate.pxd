from libc.stdint cimport int64_t

from recall_rank._core.rank.features cimport FEATURES

cdef enum:
    BOOST_COUNT = 10  # the length of BOOSTS

cdef enum:           # columns of FEATURE_NAMES
    COVERAGE = 0
    WINDOW = 1
    PHRASE = 2
    NEAR = 3
    MATCHED = 4
    EXACT = 5
    START = 6
    END = 7
    WORDS = 8
    CUES = 9
    WINDOW_WORDS = 10
    HELD = 11

cdef class Candidate:
    cdef public Py_ssize_t part
    cdef public Py_ssize_t doc
    cdef public int64_t time
    cdef public double evidence
    cdef public int kind
    cdef public bint people
    cdef public bint works
    cdef public Py_ssize_t size
    cdef public double quoted
    cdef public double whole
    cdef public double similarity
    cdef public double extra
    cdef public double meaning
    cdef public double others
    cdef public double raw
    cdef public double own
    cdef public double score
    cdef public double sure
    cdef public list names
    cdef public str confidence
    cdef public str stage
    cdef float[FEATURES] row        # zeros until the passage was read
    cdef double[BOOST_COUNT] shares
    cdef readonly bint was_read
    cdef bint was_boosted

    cdef int begin(self, Py_ssize_t part, Py_ssize_t doc, double evidence, int64_t time, str stage) except -1

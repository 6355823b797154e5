from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.search.doc_scores cimport Groups, DocScores, Work
from recall_rank._core.search.fusion cimport ContextScores, Run, FusionWeights
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.search.hits cimport Hit
from recall_rank._core.index.doc_columns cimport DocColumns
from recall_rank._core.index.postings cimport Postings
from recall_rank._core.search.top_k cimport Found, Threshold

cdef class Evidence:
    cdef DocColumns columns
    cdef Postings postings
    cdef bint marked                 # some documents are not eligible
    cdef const uint8_t[::1] eligible_view
    cdef CompiledQuery question
    cdef Groups groups               # of the question what this segment holds
    cdef uint32_t* own_groups        # where they stand, unless they are the question's
    cdef object worths               # hold what the groups and `shape` lead to
    cdef object shapes
    cdef const uint16_t* shape
    cdef DocScores held                   # documents; after fuse() the best passages of parts
    cdef bint accumulated
    cdef bint kept_only              # some parts are no hits
    cdef const uint8_t[::1] only
    cdef object places
    cdef const uint32_t* place       # in `places`
    cdef Run* runs                   # of what is held
    cdef Py_ssize_t run_count
    cdef Py_ssize_t most_runs
    cdef ContextScores around
    cdef FusionWeights shares
    cdef Found best                  # what top() found without all the others
    cdef bint scored                 # all hits are in `hits`
    cdef Hit* hits
    cdef readonly Py_ssize_t hit_count
    cdef Py_ssize_t room             # Hits that fit into `hits`
    cdef readonly uint32_t tiers     # 1 after fuse(), and 1 more for every extension
    cdef readonly Py_ssize_t blocks_done
    cdef readonly Py_ssize_t docs_done
    cdef int ask(self, CompiledQuery question, uint32_t first_term, uint32_t last_term) except -1
    cdef bint read(self, Work* work, int64_t deadline) noexcept nogil
    cdef int begin_to_fuse(self, neighbours, session, only, float echo, float echo_floor) except -1
    cdef void gather(self) noexcept nogil
    cdef int score_all(self) except -1
    cdef void score(self) noexcept nogil
    cdef uint8_t* known(self) except NULL
    cdef int follow(self, uint32_t part, uint32_t doc, float score, float base) except -1
    cdef int begin_to_look(self, Py_ssize_t count) except -1
    cdef bint look(self, Threshold* least) noexcept nogil
    cdef const Hit* first(self, const Threshold* least, Py_ssize_t* found) noexcept nogil

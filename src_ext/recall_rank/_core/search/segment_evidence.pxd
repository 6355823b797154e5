from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.index.doc_columns cimport DocColumns
from recall_rank._core.index.postings cimport Postings
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.search.doc_scores cimport BlockScratch, DocScores, QueryGroups, ReadTime
from recall_rank._core.search.fusion cimport FusionWeights, HitFilter, HitRow, Run
from recall_rank._core.search.hits cimport HitBuffer, Threshold

cdef class SegmentSource:
    cdef readonly DocColumns columns
    cdef readonly Postings postings
    cdef readonly Py_ssize_t first_part
    cdef readonly Py_ssize_t first_doc
    cdef bint has_dead                # some sessions are deleted, and `live` is set
    cdef const uint8_t[::1] live      # u8[parts]: 1 for parts of sessions that are not deleted
    cdef const uint32_t[::1] firsts   # u32[runs]: first session of each run that is consecutive in the reader, too
    cdef const uint32_t[::1] numbers  # u32[runs]: the reader's number of that session
    cdef Py_ssize_t run_count         # 0 without runs: the reader numbers sessions as the segment does
    cdef uint32_t session_number(self, uint32_t session) noexcept nogil

cdef class SegmentEvidence:
    cdef SegmentSource source
    cdef DocColumns columns
    cdef const uint8_t* eligible      # u8[docs], NULL when all documents are
    cdef CompiledQuery query
    cdef QueryGroups groups           # the query's, restricted to the terms of this segment
    cdef uint32_t* own_groups         # owns the arrays of `groups` if restricted, else NULL
    cdef object weights_buffer        # owns groups.shape_weights
    cdef object shapes_buffer         # owns `shapes`
    cdef const uint16_t* shapes
    cdef DocScores scored             # documents; after gather() the best passages of parts
    cdef HitFilter shown
    cdef object positions_buffer      # owns `positions`
    cdef const uint32_t* positions
    cdef Run* runs                    # of `scored`
    cdef Py_ssize_t run_count
    cdef Py_ssize_t most_runs
    cdef float* messages              # memory of score_run()
    cdef HitBuffer best               # what find_best() collected without scoring all hits, or best_among()
    cdef HitBuffer hits               # all hits, once has_all
    cdef bint has_all
    cdef Py_ssize_t hit_count
    cdef Py_ssize_t docs_done
    cdef int prepare(self, CompiledQuery query, uint32_t first_term, uint32_t last_term) except -1
    cdef bint accumulate(self, BlockScratch* scratch, const ReadTime* time) noexcept nogil
    cdef int prepare_fuse(self) except -1
    cdef void gather(self) noexcept nogil
    cdef int score_all(self, const FusionWeights* weights) except -1
    cdef void score(self, const FusionWeights* weights) noexcept nogil
    cdef int prepare_best(self, Py_ssize_t count, const FusionWeights* weights) except -1
    cdef bint find_best(self, const FusionWeights* weights, Threshold* threshold) noexcept nogil
    cdef const HitRow* sorted_best(self, const Threshold* threshold, Py_ssize_t* found) noexcept nogil
    cdef bint best_among(self, const uint8_t* parts, Py_ssize_t count) noexcept nogil
    cdef int append(self, uint32_t part, uint32_t doc, float score, float base, uint32_t tier) except -1
    cdef int extend(self, SegmentEvidence other, float share, uint32_t tier) except -1
    cdef int extend_marked(self, const uint8_t* parts, uint32_t tier) except -1
    cdef uint8_t* known_parts(self) except NULL
    cdef Py_ssize_t first_doc_of(self, uint32_t part, Py_ssize_t low) noexcept nogil

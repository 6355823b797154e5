from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.index.posting_frames cimport BLOCK
from recall_rank._core.index.doc_columns cimport ShapeWeight
from recall_rank._core.index.postings cimport Postings

cdef enum:
    MOST_FUSE_NS = 120  # ns that fusion and ranking take at most for a scored document: those far apart in memory
    SCORE_ALL_NS = 45   # ns more, where every hit gets its score and is grouped or ordered by time: 30 to 45 measured

cdef struct QueryGroups:    # term groups of a query; a group has members, a member is a range of terms [first, last)
    Py_ssize_t count        # groups
    const uint32_t* starts  # u32[count + 1]: group g has the members starts[g]:starts[g + 1]
    const uint32_t* firsts  # u32[members]
    const uint32_t* lasts   # u32[members]
    const float* weights    # f32[members]: factor of a member's frequencies
    const float* factors    # f32[count]: IDF times boost
    const uint8_t* joint    # u8[count]: 1 where a document must also match the group before
    const ShapeWeight* shape_weights  # by the shape of a document (DocColumns.doc_shapes)
    float k1                # of BM25

cdef struct DocScores:      # documents with a score above 0, ascending
    uint32_t* docs
    float* scores
    Py_ssize_t count
    Py_ssize_t capacity

cdef struct FrequencySums:  # weighted frequencies of one group in the documents of a block
    float* tf               # f32[BLOCK], 0 in documents without the group
    uint16_t* docs          # the documents with the group, in the order of first occurrence
    Py_ssize_t count

cdef struct ReadTime:       # of a thread that scores the documents of several segments
    int64_t deadline        # ns of the monotonic clock, 0 for none
    int64_t begun           # when it began
    Py_ssize_t threads      # that do so at the same time, while one fuses what all of them find
    Py_ssize_t found        # documents that it has scored in the segments before
    bint scores_all         # every hit will be scored, not only those that can be among the best

cdef struct BlockScratch:   # scratch memory for scoring blocks; every float is 0 between two blocks
    float* scores           # f32[BLOCK]
    FrequencySums first     # of the first half of a compound word, until its second half is summed
    FrequencySums second    # of the group that is scored
    bint dirty              # the deadline interrupted a block, so that some floats are not 0

cdef bint reserve_doc_scores(DocScores* scored, Py_ssize_t documents) noexcept nogil
cdef void release_doc_scores(DocScores* scored) noexcept nogil
cdef bint reserve_scratch(BlockScratch* scratch) noexcept nogil
cdef void release_scratch(BlockScratch* scratch) noexcept nogil
cdef Py_ssize_t accumulate_blocks(Postings postings, const QueryGroups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, DocScores* scored,
                                  BlockScratch* scratch, const ReadTime* time) noexcept nogil

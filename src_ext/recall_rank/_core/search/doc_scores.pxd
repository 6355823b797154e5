from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.index.posting_frames cimport BLOCK
from recall_rank._core.index.doc_columns cimport Worth
from recall_rank._core.index.postings cimport Postings

cdef enum:
    AFTERWARDS = 15  # ns that a document with evidence costs behind the last block: fused, and the best of it found

cdef struct Groups:         # what is searched: groups of members, a member being the terms [first, last)
    Py_ssize_t count
    const uint32_t* starts  # group g has the members starts[g]:starts[g + 1]
    const uint32_t* firsts
    const uint32_t* lasts
    const float* weights    # of a member
    const float* factors    # of a group: IDF times boost
    const uint8_t* joint    # 1 where a document must also hold the group before
    const Worth* worths     # of documents of every shape
    float k1

cdef struct DocScores:     # the documents with evidence, in their order
    uint32_t* docs
    float* scores
    Py_ssize_t count
    Py_ssize_t room   # documents that fit

cdef struct Touched:  # the documents of a block that hold a group
    float* tf         # f32[BLOCK], 0 where it is not held
    uint16_t* docs    # in the order they were met
    Py_ssize_t count

cdef struct Work:     # what one block after another is weighed in; all numbers are 0 between two blocks
    float* scores     # f32[BLOCK]
    Touched first     # of a half of a word, waiting for the other
    Touched second
    bint left         # a block was left before its end, and not all numbers are 0

cdef bint room_for_documents(DocScores* held, Py_ssize_t documents) noexcept nogil
cdef void release_documents(DocScores* held) noexcept nogil
cdef bint room_for_work(Work* work) noexcept nogil
cdef void release_work(Work* work) noexcept nogil
cdef Py_ssize_t accumulate_blocks(Postings postings, const Groups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, DocScores* held, Work* work,
                                  int64_t deadline) noexcept nogil

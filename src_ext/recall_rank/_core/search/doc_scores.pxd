from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.index.posting_frames cimport BLOCK
from recall_rank._core.index.doc_columns cimport Worth
from recall_rank._core.index.postings cimport Postings

cdef enum:
    AFTERWARDS = 15  # ns to fuse and rank one document with evidence after the last block

cdef struct Groups:         # the query: groups of members; a member is the terms [first, last)
    Py_ssize_t count
    const uint32_t* starts  # group g has the members starts[g]:starts[g + 1]
    const uint32_t* firsts
    const uint32_t* lasts
    const float* weights    # weight of each member
    const float* factors    # factor of each group: IDF times boost
    const uint8_t* joint    # 1 where a document must also hold the group before
    const Worth* worths     # norm and weight of every document shape
    float k1

cdef struct DocScores:     # the documents with evidence, ascending
    uint32_t* docs
    float* scores
    Py_ssize_t count
    Py_ssize_t room   # allocated documents

cdef struct Touched:  # the documents of a block that hold a group
    float* tf         # f32[BLOCK]: term frequency in each document
    uint16_t* docs    # the documents with a frequency, in order of discovery
    Py_ssize_t count

cdef struct Work:     # scratch arrays to score blocks; all values are 0 between two blocks
    float* scores     # f32[BLOCK]
    Touched first     # frequencies of the first half of a word
    Touched second
    bint left         # the last block was interrupted, so values may not be 0

cdef bint room_for_documents(DocScores* held, Py_ssize_t documents) noexcept nogil
cdef void release_documents(DocScores* held) noexcept nogil
cdef bint room_for_work(Work* work) noexcept nogil
cdef void release_work(Work* work) noexcept nogil
cdef Py_ssize_t accumulate_blocks(Postings postings, const Groups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, DocScores* held, Work* work,
                                  int64_t deadline) noexcept nogil

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from recall_rank._core.frames cimport BLOCK
from recall_rank._core.layout cimport Worth
from recall_rank._core.postings cimport Postings

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

cdef struct Held:     # the documents with evidence, in their order
    uint32_t* docs
    float* scores
    Py_ssize_t count

cdef bint room_for_documents(Held* held, Py_ssize_t documents) noexcept nogil
cdef void release_documents(Held* held) noexcept nogil
cdef Py_ssize_t accumulate_blocks(Postings postings, const Groups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, Held* held,
                                  int64_t deadline) noexcept nogil

from libc.stdint cimport int64_t, uint8_t, uint32_t

from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.hits cimport Hit
from recall_rank._core.index.doc_columns cimport DocColumns

cdef struct ContextScores:        # what stands around a part
    float* message_best    # f32[messages]: the best part of each
    float* session_sum     # f32[sessions]: the L3 norm of its messages
    float* session_title   # f32[sessions]: the evidence of its title
    float best             # of all messages
    Py_ssize_t room        # floats of the three columns, which are one

cdef struct FusionWeights:        # what of it counts
    float[12] neighbours   # one before, one behind, two before, two behind, for each kind of session
    float[4] session       # the session's norm with an agent and between people, its title's evidence likewise
    float echo             # of the message that an agent's prose answers
    float echo_floor       # as far as it lies above this

cdef struct Run:           # hits of a session that follow each other
    Py_ssize_t first       # [first, last) of what is held
    Py_ssize_t last
    uint32_t session
    float most             # the best of them, also of those that are not kept
    float said             # the best of its messages

cdef bint room_for_around(ContextScores* around, DocColumns columns) noexcept nogil
cdef void release_around(ContextScores* around) noexcept nogil
cdef void add_in_times(DocScores* held, DocColumns columns, const int64_t[::1] starts, const int64_t[::1] ends,
                       float value) noexcept nogil
cdef Py_ssize_t fold(DocScores* held, DocColumns columns, const uint32_t* places, ContextScores* around,
                     Run* runs) noexcept nogil
cdef Py_ssize_t keep_only(DocScores* held, DocColumns columns, const uint8_t* keep, Run* runs,
                          Py_ssize_t count) noexcept nogil
cdef Py_ssize_t add_around(const DocScores* held, const Run* run, DocColumns columns, const ContextScores* around,
                           const FusionWeights* shares, float least, Hit* hits) noexcept nogil

from libc.stdint cimport int64_t, uint8_t, uint32_t

from recall_rank._core.index.doc_columns cimport DocColumns
from recall_rank._core.search.doc_scores cimport DocScores

cdef struct HitRow:        # a part with evidence; `Hit` is its Python form
    float score            # evidence of the part and of its context
    float base             # evidence of the part alone
    uint32_t part
    uint32_t doc           # best passage of the part
    uint32_t tier          # every hit of a tier ranks before the hits of the next tier

cdef struct ContextScores:  # evidence around a part
    float* message_best    # f32[messages]: score of the best part of each message
    float* session_norm    # f32[sessions]: L3 norm of the messages' best scores
    float* session_title   # f32[sessions]: score of the title
    float best             # largest message_best
    Py_ssize_t room        # floats of the three columns, which lie in one allocation

cdef struct FusionWeights:  # weights of the context in the score of a part
    float[12] neighbours   # messages -1, +1, -2, +2; four for each kind of session (DocColumns.session_talk)
    float[4] session       # session norm: agent, people; session title: agent, people
    float echo             # evidence of the user's message that an agent's prose answers ...
    float echo_floor       # ... as far as it exceeds this floor, or all of it if the agent is at work

cdef struct Run:           # consecutive hits of one session
    Py_ssize_t first       # [first, last) in DocScores
    Py_ssize_t last
    uint32_t session
    float best_part        # largest score of a part, including parts that keep_only() has removed
    float best_message     # largest score of a message; titles do not count

cdef bint reserve_context(ContextScores* context, DocColumns columns) noexcept nogil
cdef void release_context(ContextScores* context) noexcept nogil
cdef void add_in_times(DocScores* scored, DocColumns columns, const int64_t[::1] starts, const int64_t[::1] ends,
                       float value) noexcept nogil
cdef Py_ssize_t fold(DocScores* scored, DocColumns columns, const uint32_t* places, ContextScores* context,
                     Run* runs) noexcept nogil
cdef Py_ssize_t keep_only(DocScores* scored, DocColumns columns, const uint8_t* keep, Run* runs,
                          Py_ssize_t count) noexcept nogil
cdef Py_ssize_t score_run(const DocScores* scored, const Run* run, DocColumns columns, const ContextScores* context,
                          const FusionWeights* weights, float least, HitRow* hits) noexcept nogil

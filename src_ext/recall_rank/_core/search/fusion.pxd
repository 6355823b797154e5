from libc.stdint cimport int64_t, uint8_t, uint32_t

from recall_rank._core.index.doc_columns cimport DocColumns
from recall_rank._core.search.doc_scores cimport DocScores

cdef struct HitRow:        # a part with evidence; `Hit` is its Python form
    float score            # evidence of the part and of its context
    float base             # evidence of the part alone
    uint32_t part
    uint32_t doc           # best passage of the part
    uint32_t tier          # every hit of a tier ranks before the hits of the next tier

cdef struct HitFilter:      # which parts may be hits; the others still count as context of these
    const uint8_t* only    # u8[parts], marks; NULL if all parts may
    const uint8_t* live    # u8[parts], marks parts of sessions that are not deleted; NULL if no session is

cdef struct FusionWeights:  # weights of the context in the score of a part
    float[12] neighbours   # messages -1, +1, -2, +2; four for each kind of session (DocColumns.session_talk)
    float[6] session       # session norm: agent, people; session title: agent, people; best message: agent, people
    float echo             # evidence of the user's message that an agent's prose answers ...
    float echo_floor       # ... as far as it exceeds this floor, or all of it if the agent is at work
    float echo_work        # evidence of that message in the score of what the agent did for it: reasoning, tool calls

cdef struct Run:           # the passages of one session that have evidence, one for each part, and their context
    Py_ssize_t first       # [first, last) in DocScores
    Py_ssize_t last
    Py_ssize_t hits        # how many of them may be hits; the best scores are those of all
    uint32_t session
    float best_part        # largest score of a part
    float best_message     # largest score of a message; the title does not count
    float norm             # L3 norm of the messages' scores, each that of the message's best part
    float title            # score of the title

cdef void add_in_times(DocScores* scored, DocColumns columns, const int64_t[::1] starts, const int64_t[::1] ends,
                       float value) noexcept nogil
cdef Py_ssize_t fold(DocScores* scored, DocColumns columns, const uint32_t* places, Run* runs) noexcept nogil
cdef Py_ssize_t count_hits(const DocScores* scored, DocColumns columns, const HitFilter* shown, Run* runs,
                           Py_ssize_t* count) noexcept nogil
cdef Py_ssize_t score_run(const DocScores* scored, const Run* run, DocColumns columns, const HitFilter* shown,
                          const FusionWeights* weights, float least, float* messages, HitRow* hits) noexcept nogil
cdef Py_ssize_t message_room(DocColumns columns) noexcept nogil

from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.hits cimport Hit
from recall_rank._core.layout cimport Layout

cdef struct Around:        # what stands around a part
    float* message_best    # f32[messages]: the best part of each
    float* session_sum     # f32[sessions]: the L3 norm of its messages
    float* session_title   # f32[sessions]: the evidence of its title

cdef struct Shares:             # what of it counts
    const float* neighbours     # f32[8]: one before, one behind, two before, two behind; first for logs, then for talks
    const float* session        # f32[4]: the session's norm in logs and in talks, its title's evidence likewise
    float echo                  # of the message that an agent's prose answers
    float echo_floor            # as far as it lies above this

cdef Py_ssize_t held_documents(const float* scores, Py_ssize_t docs, uint32_t* held) noexcept nogil
cdef Py_ssize_t best_of_parts(const float* scores, const uint32_t* held, Py_ssize_t found, Layout layout, Hit* hits,
                              Around* around) noexcept nogil
cdef Py_ssize_t add_around(Hit* hits, Py_ssize_t count, Layout layout, Around* around, const Shares* shares,
                           const uint8_t* keep) noexcept nogil

"""The best passage stands for its part, the best part for its message; neighbours and the session add to a part."""

from libc.math cimport cbrtf
from libc.stdint cimport uint8_t, uint32_t

from recall_rank._core.hits cimport TITLE, Hit
from recall_rank._core.layout cimport Layout

cdef enum:
    ASSISTANT = 2  # the class of an agent's prose


cdef const uint32_t* column32(const uint32_t[::1] view) noexcept nogil:
    """The address of a column; NULL where it is empty, and nothing is read."""
    return &view[0] if view.shape[0] else NULL


cdef const uint8_t* column8(const uint8_t[::1] view) noexcept nogil:
    return &view[0] if view.shape[0] else NULL


cdef Py_ssize_t held_documents(const float* scores, Py_ssize_t docs, uint32_t* held) noexcept nogil:
    """Write the numbers of the documents with evidence into held u32[docs + 1]; how many there are."""
    cdef const uint32_t* bits = <const uint32_t*>scores  # a whole number is compared with 0 in one step
    cdef Py_ssize_t doc, found = 0
    for doc in range(docs):  # hits are scattered, and no processor guesses where: there is no branch
        held[found] = doc
        found += bits[doc] != 0
    return found


cdef Py_ssize_t best_of_parts(const float* scores, const uint32_t* held, Py_ssize_t found, Layout layout, Hit* hits,
                              Around* around) noexcept nogil:
    """One Hit a part with evidence, its best passage in it; the best of each message and each title."""
    cdef Py_ssize_t k, count = 0
    cdef uint32_t doc, part, message, before = 0
    cdef float value
    cdef Hit* hit = NULL
    # columns as plain addresses: no write below can move them
    cdef const uint32_t* part_of = column32(layout.doc_part)
    cdef const uint8_t* class_of = column8(layout.doc_class)
    cdef const uint32_t* message_of = column32(layout.part_message)
    cdef const uint32_t* session_of = column32(layout.message_session)
    for k in range(found):
        doc = held[k]
        part = part_of[doc]
        value = scores[doc]
        if count == 0 or part != before:
            before = part
            hit = hits + count
            count += 1
            hit.part = part
            hit.tier = 0
            hit.doc = doc
            hit.base = 0
        if value > hit.base:
            hit.base = value
            hit.doc = doc
        message = message_of[part]
        if class_of[doc] == TITLE:
            if hit.base > around.session_title[session_of[message]]:
                around.session_title[session_of[message]] = hit.base
        elif value > around.message_best[message]:
            around.message_best[message] = value
    return count


cdef void sum_sessions(const Hit* hits, Py_ssize_t count, Layout layout, Around* around) noexcept nogil:
    """The L3 norm of each session's messages."""
    cdef Py_ssize_t k
    cdef uint32_t message, before = 0xFFFFFFFFU
    cdef float best
    for k in range(count):
        message = layout.part_message[hits[k].part]
        if message != before:
            best = around.message_best[message]
            around.session_sum[layout.message_session[message]] += best * best * best
            before = message
    for k in range(layout.sessions):
        if around.session_sum[k] > 0:
            around.session_sum[k] = cbrtf(around.session_sum[k])


cdef Py_ssize_t add_around(Hit* hits, Py_ssize_t count, Layout layout, Around* around, const Shares* shares,
                           const uint8_t* keep) noexcept nogil:
    """Fill the score of every hit that keep u8[parts] keeps (NULL: all); the others go. How many there are."""
    cdef Py_ssize_t k, other, kept = 0, messages = layout.messages
    cdef uint32_t message, place
    cdef int step, talk
    cdef float score, best
    cdef int[4] steps = [-1, 1, -2, 2]
    cdef const uint8_t* class_of = column8(layout.doc_class)
    cdef const uint32_t* message_of = column32(layout.part_message)
    cdef const uint32_t* session_of = column32(layout.message_session)
    cdef const uint32_t* asked_of = column32(layout.message_asked) if layout.has_asked else NULL
    cdef const uint8_t* talks = column8(layout.session_talk)
    cdef const float* message_best = around.message_best
    sum_sessions(hits, count, layout, around)
    for k in range(count):
        if keep != NULL and not keep[hits[k].part]:
            continue
        message = message_of[hits[k].part]
        place = session_of[message]
        talk = 1 if talks[place] else 0
        best = shares.session[talk] * around.session_sum[place]
        for step in range(4):
            other = <Py_ssize_t>message + steps[step]
            if 0 <= other < messages and session_of[other] == place:
                best += shares.neighbours[talk * 4 + step] * message_best[other]
        score = hits[k].base + best
        if class_of[hits[k].doc] != TITLE:
            score += shares.session[2 + talk] * around.session_title[place]
        if shares.echo > 0 and asked_of != NULL:
            best = message_best[asked_of[message]] - shares.echo_floor
            best = best if best > 0 else 0
            score += shares.echo * best * ((asked_of[message] != message) & (class_of[hits[k].doc] == ASSISTANT))
        hits[kept] = hits[k]
        hits[kept].score = score
        kept += 1
    return kept

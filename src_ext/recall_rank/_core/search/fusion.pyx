"""Fuse the scores of passages into hits, one for each part.

A part has the score of its best passage, to which its context, neighbouring messages and the session, adds.
"""

from libc.math cimport cbrtf
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from recall_rank._core.index.doc_columns cimport SAME_PART, IS_TITLE, MESSAGE_BITS, PEOPLE, TITLE, WORK, DocColumns
from recall_rank._core.runtime.scratch_pool cimport acquire, release
from recall_rank._core.search.doc_scores cimport DocScores

cdef extern from "simd/select.h":
    float rr_select(bint wanted, float value) noexcept nogil
    float rr_max(float one, float other) noexcept nogil

cdef enum:
    ASSISTANT = 2  # the class of an agent's prose


cdef const uint32_t* column32(const uint32_t[::1] view) noexcept nogil:
    """Return the address of a u32 column, or NULL if it is empty."""
    return &view[0] if view.shape[0] else NULL


cdef const uint8_t* column8(const uint8_t[::1] view) noexcept nogil:
    """Return the address of a u8 column, or NULL if it is empty."""
    return &view[0] if view.shape[0] else NULL


cdef bint reserve_context(ContextScores* context, DocColumns columns) noexcept nogil:
    """Allocate the columns that fold() fills; return False when memory ran out. release_context() frees them."""
    context.room = columns.messages + 2 * columns.sessions + 1
    context.message_best = <float*>acquire(context.room * sizeof(float))
    context.session_norm = context.message_best + columns.messages
    context.session_title = context.session_norm + columns.sessions
    return context.message_best != NULL


cdef void release_context(ContextScores* context) noexcept nogil:
    release(context.message_best, context.room * sizeof(float))


cdef void add_in_times(DocScores* scored, DocColumns columns, const int64_t[::1] starts, const int64_t[::1] ends,
                       float value) noexcept nogil:
    """Add `value`, once, to every scored document whose message has a time, in ms, in a range [starts[k], ends[k])."""
    cdef Py_ssize_t at, k
    cdef int64_t time
    for at in range(scored.count):
        time = columns.message_time[columns.part_message[columns.doc_part[scored.docs[at]]]]
        for k in range(starts.shape[0]):
            if starts[k] <= time < ends[k]:
                scored.scores[at] += value
                break


cdef Py_ssize_t fold(DocScores* scored, DocColumns columns, const uint32_t* places, ContextScores* context,
                     Run* runs) noexcept nogil:
    """Reduce `scored` to the best passage of each part, fill in `context` and `runs`, and return the number of runs.

    A run is a range of consecutive hits of one session; `context` has the best score of each message, and two scores of
    each session. `places` is DocColumns.doc_positions(). `runs` has room for one run a session, or for one run a
    document if the messages of a session are not consecutive. Negative scores count as 0. O(documents + messages +
    sessions).
    """
    # plain addresses instead of views: the compiler knows that no write below changes them
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* session_of = column32(columns.message_session)
    cdef uint32_t* docs = scored.docs
    cdef float* scores = scored.scores
    cdef float* message_best = context.message_best
    cdef uint32_t doc, place, message, before, session, last = 0
    cdef Py_ssize_t k = 0, size = scored.count, found = 0, count = 0
    cdef float value, best, total, best_part, best_message
    memset(message_best, 0, context.room * sizeof(float))
    while k < size:
        before = places[docs[k]] & MESSAGE_BITS
        session = session_of[before]
        runs[count].first = found
        runs[count].session = session
        best = best_part = best_message = 0
        total = context.session_norm[session]  # sum of cubes; 0, unless the session had a run before
        while k < size:
            doc = docs[k]
            place = places[doc]
            message = place & MESSAGE_BITS
            if session_of[message] != session:
                break
            value = rr_max(scores[k], 0)
            # no branch: whether the next hit is of another message cannot be predicted
            total += rr_select(message != before, best * best * best)
            before = message
            best_part = rr_max(value, best_part)
            docs[found] = doc  # a new part, unless SAME_PART below says that the part before continues
            scores[found] = value
            if place > MESSAGE_BITS:  # rare: a title, or a further passage of a part
                if place & SAME_PART and k and (last + 1 == doc or part_of[last] == part_of[doc]):
                    found -= 1
                    if value > scores[found]:
                        scores[found] = value
                        docs[found] = doc
                if place & IS_TITLE:
                    context.session_title[session] = rr_max(scores[found], context.session_title[session])
                    value = 0
            best_message = rr_max(value, best_message)
            best = rr_max(value, message_best[message])
            message_best[message] = best
            last = doc
            found += 1
            k += 1
        runs[count].last = found
        runs[count].best_part = best_part
        runs[count].best_message = best_message
        context.session_norm[session] = total + best * best * best
        count += 1
    scored.count = found
    context.best = 0
    for k in range(count):
        context.best = runs[k].best_message if runs[k].best_message > context.best else context.best
    for k in range(columns.sessions):
        if context.session_norm[k] > 0:
            context.session_norm[k] = cbrtf(context.session_norm[k])
    return count


cdef Py_ssize_t keep_only(DocScores* scored, DocColumns columns, const uint8_t* keep, Run* runs,
                          Py_ssize_t count) noexcept nogil:
    """Remove the hits whose parts are not marked in keep, u8[parts], and runs without hits; return the number of runs.

    A run is a range of consecutive hits of one session; `runs` has `count` before. Context scores do not change: a
    removed part still counts for its neighbours and its session.
    """
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef Py_ssize_t k, j, found = 0, left = 0
    cdef Run run
    for k in range(count):
        run = runs[k]
        runs[left] = run
        runs[left].first = found
        for j in range(run.first, run.last):
            scored.docs[found] = scored.docs[j]
            scored.scores[found] = scored.scores[j]
            found += keep[part_of[scored.docs[j]]] != 0
        runs[left].last = found
        left += found > runs[left].first
    scored.count = found
    return left


cdef Py_ssize_t score_run(const DocScores* scored, const Run* run, DocColumns columns, const ContextScores* context,
                          const FusionWeights* weights, float least, HitRow* hits) noexcept nogil:
    """Write the fused scores of the hits of a run, consecutive hits of one session, to `hits`; return how many.

    Only hits whose base, the score of the best passage, is at least `least` are written. The score is the sum of base;
    neighbours * message_best of each neighbouring message; session * session_norm; title * session_title, but not for
    the title itself; and, for an agent's prose, echo * max(0, message_best of the answered message - floor), where
    floor is 0 if the agent is at work, else echo_floor. The factors are of `weights`, what they multiply is of
    `context`. `hits` has room for every hit of the run.
    """
    cdef Py_ssize_t k, other, messages = columns.messages
    cdef uint32_t doc, message, place = run.session
    cdef int step, talk = columns.session_talk[place], people = talk == PEOPLE
    cdef float score, best, floor = 0 if talk == WORK else weights.echo_floor
    cdef int[4] steps = [-1, 1, -2, 2]
    cdef const uint8_t* class_of = column8(columns.doc_class)
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* message_of = column32(columns.part_message)
    cdef const uint32_t* session_of = column32(columns.message_session)
    cdef const uint32_t* asked_of = column32(columns.message_asked) if columns.has_asked and weights.echo > 0 else NULL
    cdef const float* message_best = context.message_best
    cdef const float* neighbours = weights.neighbours + talk * 4
    cdef float session = weights.session[people] * context.session_norm[place]
    cdef float title = weights.session[2 + people] * context.session_title[place]
    cdef HitRow* hit = hits
    for k in range(run.first, run.last):
        if scored.scores[k] < least:
            continue
        doc = scored.docs[k]
        hit.part = part_of[doc]
        hit.doc = doc
        hit.tier = 0
        hit.base = scored.scores[k]
        message = message_of[hit.part]
        best = session
        for step in range(4):
            other = <Py_ssize_t>message + steps[step]
            if 0 <= other < messages and session_of[other] == place:
                best += neighbours[step] * message_best[other]
        score = hit.base + best
        if class_of[doc] != TITLE:
            score += title
        if asked_of != NULL:
            best = message_best[asked_of[message]] - floor
            best = best if best > 0 else 0
            score += weights.echo * best * ((asked_of[message] != message) & (class_of[doc] == ASSISTANT))
        hit.score = score
        hit += 1
    return hit - hits

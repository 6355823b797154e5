"""The best passage stands for its part, the best part for its message; neighbours and the session add to a part."""

from libc.math cimport cbrtf
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from recall_rank._core.search.doc_scores cimport DocScores
from recall_rank._core.search.hits cimport Hit
from recall_rank._core.index.doc_columns cimport GOES_ON, IS_TITLE, MESSAGE, PEOPLE, TITLE, DocColumns
from recall_rank._core.runtime.scratch_pool cimport lend, take_back

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* The value, or 0 where it is not wanted: a mask, which never turns into a branch. */
    static inline float rr_where(int wanted, float value) {
        uint32_t bits;
        memcpy(&bits, &value, 4);
        bits &= 0u - (uint32_t)(wanted != 0);
        memcpy(&value, &bits, 4);
        return value;
    }
    static inline float rr_most(float one, float other) { return one > other ? one : other; }
    """
    float rr_where(bint wanted, float value) noexcept nogil
    float rr_most(float one, float other) noexcept nogil

cdef enum:
    ASSISTANT = 2  # the class of an agent's prose


cdef const uint32_t* column32(const uint32_t[::1] view) noexcept nogil:
    """The address of a column; NULL where it is empty, and nothing is read."""
    return &view[0] if view.shape[0] else NULL


cdef const uint8_t* column8(const uint8_t[::1] view) noexcept nogil:
    return &view[0] if view.shape[0] else NULL


cdef bint room_for_around(ContextScores* around, DocColumns columns) noexcept nogil:
    """Room for what fold() tells; False when memory ran out."""
    around.room = columns.messages + 2 * columns.sessions + 1
    around.message_best = <float*>lend(around.room * sizeof(float))
    around.session_sum = around.message_best + columns.messages
    around.session_title = around.session_sum + columns.sessions
    return around.message_best != NULL


cdef void release_around(ContextScores* around) noexcept nogil:
    take_back(around.message_best, around.room * sizeof(float))


cdef void add_in_times(DocScores* held, DocColumns columns, const int64_t[::1] starts, const int64_t[::1] ends,
                       float value) noexcept nogil:
    """Add `value` to every document that is held whose message's time is in one of [starts[k], ends[k])."""
    cdef Py_ssize_t at, k
    cdef int64_t time
    for at in range(held.count):
        time = columns.message_time[columns.part_message[columns.doc_part[held.docs[at]]]]
        for k in range(starts.shape[0]):
            if starts[k] <= time < ends[k]:
                held.scores[at] += value
                break


cdef Py_ssize_t fold(DocScores* held, DocColumns columns, const uint32_t* places, ContextScores* around,
                     Run* runs) noexcept nogil:
    """Leave of each part its best passage, in place; tell the best of messages and titles, the norms of sessions and
    the runs of sessions, of which there is room for one a session, or for one a document where sessions are not
    ordered. How many runs there are."""
    # columns as plain addresses: no write below can move them
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* session_of = column32(columns.message_session)
    cdef uint32_t* docs = held.docs
    cdef float* scores = held.scores
    cdef float* message_best = around.message_best
    cdef uint32_t doc, place, message, before, session, last = 0
    cdef Py_ssize_t k = 0, size = held.count, found = 0, count = 0
    cdef float value, best, total, most, said
    memset(message_best, 0, around.room * sizeof(float))
    while k < size:
        before = places[docs[k]] & MESSAGE
        session = session_of[before]
        runs[count].first = found
        runs[count].session = session
        best = most = said = 0
        total = around.session_sum[session]  # 0, unless its messages are scattered
        while k < size:
            doc = docs[k]
            place = places[doc]
            message = place & MESSAGE
            if session_of[message] != session:
                break
            value = rr_most(scores[k], 0)
            # hits are scattered: whether the next is of another message no processor guesses, so there is no branch
            total += rr_where(message != before, best * best * best)
            before = message
            most = rr_most(value, most)
            docs[found] = doc  # behind what was found, unless it turns out to be a passage of the same part
            scores[found] = value
            if place > MESSAGE:  # few are titles or go on with a part, and fewer with one that was found
                if place & GOES_ON and k and (last + 1 == doc or part_of[last] == part_of[doc]):
                    found -= 1
                    if value > scores[found]:
                        scores[found] = value
                        docs[found] = doc
                if place & IS_TITLE:
                    around.session_title[session] = rr_most(scores[found], around.session_title[session])
                    value = 0
            said = rr_most(value, said)
            best = rr_most(value, message_best[message])
            message_best[message] = best
            last = doc
            found += 1
            k += 1
        runs[count].last = found
        runs[count].most = most
        runs[count].said = said
        around.session_sum[session] = total + best * best * best
        count += 1
    held.count = found
    around.best = 0
    for k in range(count):
        around.best = runs[k].said if runs[k].said > around.best else around.best
    for k in range(columns.sessions):
        if around.session_sum[k] > 0:
            around.session_sum[k] = cbrtf(around.session_sum[k])
    return count


cdef Py_ssize_t keep_only(DocScores* held, DocColumns columns, const uint8_t* keep, Run* runs,
                          Py_ssize_t count) noexcept nogil:
    """Leave what keep u8[parts] keeps, and the runs that have something left; how many these are."""
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef Py_ssize_t k, j, found = 0, left = 0
    cdef Run run
    for k in range(count):
        run = runs[k]
        runs[left] = run
        runs[left].first = found
        for j in range(run.first, run.last):
            held.docs[found] = held.docs[j]
            held.scores[found] = held.scores[j]
            found += keep[part_of[held.docs[j]]] != 0
        runs[left].last = found
        left += found > runs[left].first
    held.count = found
    return left


cdef Py_ssize_t add_around(const DocScores* held, const Run* run, DocColumns columns, const ContextScores* around,
                           const FusionWeights* shares, float least, Hit* hits) noexcept nogil:
    """Write those hits of a run whose own evidence is at least `least`, with their scores; how many there are."""
    cdef Py_ssize_t k, other, messages = columns.messages
    cdef uint32_t doc, message, place = run.session
    cdef int step, talk = columns.session_talk[place], people = talk == PEOPLE
    cdef float score, best
    cdef int[4] steps = [-1, 1, -2, 2]
    cdef const uint8_t* class_of = column8(columns.doc_class)
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* message_of = column32(columns.part_message)
    cdef const uint32_t* session_of = column32(columns.message_session)
    cdef const uint32_t* asked_of = column32(columns.message_asked) if columns.has_asked and shares.echo > 0 else NULL
    cdef const float* message_best = around.message_best
    cdef const float* neighbours = shares.neighbours + talk * 4
    cdef float session = shares.session[people] * around.session_sum[place]
    cdef float title = shares.session[2 + people] * around.session_title[place]
    cdef Hit* hit = hits
    for k in range(run.first, run.last):
        if held.scores[k] < least:
            continue
        doc = held.docs[k]
        hit.part = part_of[doc]
        hit.doc = doc
        hit.tier = 0
        hit.base = held.scores[k]
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
            best = message_best[asked_of[message]] - shares.echo_floor
            best = best if best > 0 else 0
            score += shares.echo * best * ((asked_of[message] != message) & (class_of[doc] == ASSISTANT))
        hit.score = score
        hit += 1
    return hit - hits

"""Fuse the scores of passages into hits, one for each part.

A part has the score of its best passage, to which its context, neighbouring messages and the session, adds.
"""

from libc.math cimport cbrtf
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from recall_rank._core.index.doc_columns cimport (SAME_PART, IS_TITLE, MESSAGE_BITS, PEOPLE, PROSE, TITLE, WORK,
                                                  DocColumns)
from recall_rank._core.search.doc_scores cimport DocScores

cdef extern from "simd/select.h":
    float rr_select(bint wanted, float value) noexcept nogil
    float rr_max(float one, float other) noexcept nogil

cdef enum:
    REACH = 2  # messages to each side whose scores add to that of a hit


cdef const uint32_t* column32(const uint32_t[::1] view) noexcept nogil:
    """Return the address of a u32 column, or NULL if it is empty."""
    return &view[0] if view.shape[0] else NULL


cdef const uint8_t* column8(const uint8_t[::1] view) noexcept nogil:
    """Return the address of a u8 column, or NULL if it is empty."""
    return &view[0] if view.shape[0] else NULL


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


cdef Py_ssize_t fold(DocScores* scored, DocColumns columns, const uint32_t* places, Run* runs) noexcept nogil:
    """Reduce `scored` to the best passage of each part; write a run for each session in it, and return how many.

    `places` is DocColumns.doc_positions(). `runs` has room for one run a session, or one a document if these are fewer.
    Negative scores count as 0. O(documents).
    """
    # plain addresses instead of views: the compiler knows that no write below changes them
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* session_of = column32(columns.message_session)
    cdef uint32_t* docs = scored.docs
    cdef float* scores = scored.scores
    cdef uint32_t doc, place, message, before, session, last = 0
    cdef Py_ssize_t k = 0, size = scored.count, found = 0, count = 0
    cdef float value, best, cubes
    cdef Run run
    while k < size:
        before = places[docs[k]] & MESSAGE_BITS
        session = session_of[before]
        run = Run(found, 0, 0, session, 0, 0, 0, 0)
        best = cubes = 0  # the best score of the message, and the sum of the cubes of those before
        while k < size:
            doc = docs[k]
            place = places[doc]
            message = place & MESSAGE_BITS
            if session_of[message] != session:
                break
            value = rr_max(scores[k], 0)
            # no branch: whether the next passage is of another message cannot be predicted
            cubes += rr_select(message != before, best * best * best)
            best = rr_select(message == before, best)
            before = message
            run.best_part = rr_max(value, run.best_part)
            docs[found] = doc  # a new part, unless SAME_PART below says that the part before continues
            scores[found] = value
            if place > MESSAGE_BITS:  # rare: a title, or a further passage of a part
                if place & SAME_PART and k and (last + 1 == doc or part_of[last] == part_of[doc]):
                    found -= 1
                    if value > scores[found]:
                        scores[found] = value
                        docs[found] = doc
                if place & IS_TITLE:
                    run.title = rr_max(scores[found], run.title)
                    value = 0
            best = rr_max(value, best)
            run.best_message = rr_max(value, run.best_message)
            last = doc
            found += 1
            k += 1
        run.last = found
        run.hits = found - run.first
        run.norm = cbrtf(cubes + best * best * best)
        runs[count] = run
        count += 1
    scored.count = found
    return count


cdef inline bint is_shown(const HitFilter* shown, uint32_t part) noexcept nogil:
    """Return whether a part may be a hit."""
    return (shown.only == NULL or shown.only[part] != 0) and (shown.live == NULL or shown.live[part] != 0)


cdef Py_ssize_t count_hits(const DocScores* scored, DocColumns columns, const HitFilter* shown, Run* runs,
                           Py_ssize_t* count) noexcept nogil:
    """Count the hits of each of the count[0] runs; remove runs without any, and return the number of all hits."""
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef Py_ssize_t k, at, left = 0, total = 0
    for k in range(count[0]):
        runs[left] = runs[k]
        if shown.only != NULL or shown.live != NULL:
            runs[left].hits = 0
            for at in range(runs[k].first, runs[k].last):
                runs[left].hits += is_shown(shown, part_of[scored.docs[at]])
        total += runs[left].hits
        left += runs[left].hits > 0
    count[0] = left
    return total


cdef Py_ssize_t message_room(DocColumns columns) noexcept nogil:
    """Return how many floats score_run() works in, those of the longest session."""
    return columns.most_messages + 2 * REACH


cdef Py_ssize_t score_run(const DocScores* scored, const Run* run, DocColumns columns, const HitFilter* shown,
                          const FusionWeights* weights, float least, float* messages, HitRow* hits) noexcept nogil:
    """Write the fused scores of the hits of a run to `hits`; return how many.

    Only hits whose base, the score of the best passage, is at least `least` are written. With the score of a message
    being that of its best part, that of a hit is the sum of base; neighbours * score of each neighbouring message;
    session * norm; best * score of the session's best message; title * score of the title, but not for the title
    itself; and, for what an agent said or did in answer to a message, echo * max(0, score of that message - floor),
    where floor is 0 if the agent is at work, else echo_floor, and echo is echo_work for all but its prose.
    The factors are of `weights`. `messages` is memory, f32[message_room()]; `hits` has room for run.hits rows.
    """
    cdef Py_ssize_t k, at, asked
    cdef uint32_t doc, message, low
    cdef int step, talk = columns.session_talk[run.session], people = talk == PEOPLE
    cdef float score, best, floor = 0 if talk == WORK else weights.echo_floor
    cdef int[4] steps = [-1, 1, -2, 2]
    cdef const uint8_t* class_of = column8(columns.doc_class)
    cdef const uint32_t* part_of = column32(columns.doc_part)
    cdef const uint32_t* message_of = column32(columns.part_message)
    cdef const uint32_t* asked_of = column32(columns.message_asked) if columns.has_asked and (
        weights.echo > 0 or weights.echo_work > 0) else NULL
    cdef const float* neighbours = weights.neighbours + talk * 4
    cdef float session = weights.session[people] * run.norm + weights.session[4 + people] * run.best_message
    cdef float title = weights.session[2 + people] * run.title
    cdef HitRow* hit = hits
    # messages[at] is the score of message low + at; 0 in the REACH places before the first one and behind the last one
    low = message_of[part_of[scored.docs[run.first]]]
    message = message_of[part_of[scored.docs[run.last - 1]]]
    memset(messages, 0, (message - low + 1 + 2 * REACH) * sizeof(float))
    messages += REACH
    for k in range(run.first, run.last):
        doc = scored.docs[k]
        if class_of[doc] != TITLE:
            at = message_of[part_of[doc]] - low
            messages[at] = rr_max(scored.scores[k], messages[at])
    for k in range(run.first, run.last):
        if scored.scores[k] < least:
            continue
        doc = scored.docs[k]
        hit.part = part_of[doc]
        if not is_shown(shown, hit.part):
            continue
        hit.doc = doc
        hit.tier = 0
        hit.base = scored.scores[k]
        message = message_of[hit.part]
        at = message - low
        best = session
        for step in range(4):
            best += neighbours[step] * messages[at + steps[step]]
        score = hit.base + best
        if class_of[doc] != TITLE:
            score += title
        if asked_of != NULL:
            asked = <Py_ssize_t>asked_of[message] - low
            best = messages[asked] - floor if asked >= 0 else 0
            best = best if best > 0 else 0
            if asked != at and class_of[doc] != TITLE:
                score += (weights.echo if class_of[doc] == PROSE else weights.echo_work) * best
        hit.score = score
        hit += 1
    return hit - hits

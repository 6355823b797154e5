"""What the matches of a passage are worth: coverage, the densest window, phrases and nearness.

coverage: weight of the words found over the weight of all. window: the same inside the best stretch, whose offsets
are start and end and whose words are window_words. phrase: weight of the longest unbroken run of the query over the
weight of all words. near: neighbours of the query that are near each other in order. matched, exact: words found,
found exactly. words: those of the passage. cues: those that only say what kind of answer it holds.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memset

from recall_rank._core.text.token_buffer cimport MAX_JOIN

FEATURE_NAMES = ("coverage", "window", "phrase", "near", "matched", "exact", "start", "end", "words", "cues",
                 "window_words")


cdef void measure_events(Event* events, Py_ssize_t count, const Asked* asked, uint32_t words, int cues, uint32_t width,
                         float* out) noexcept nogil:
    """Fill out[FEATURES] from the matches of a passage of `words` words, in order of position."""
    cdef float best_of[SLOTS]
    cdef float inside_of[SLOTS]
    cdef uint32_t inside[SLOTS]
    cdef uint32_t last_seen[SLOTS]
    cdef Py_ssize_t ends_at[SLOTS]  # the last event that ends at a slot
    cdef float nearness[SLOTS]
    cdef int slot, j, matched = 0, exact = 0
    cdef Py_ssize_t k, other, left = 0
    cdef float gain = 0, best_gain = -1, phrase = 0, value, weight, near = 0, near_total = 0
    cdef uint32_t best_extent = 0, extent, gap
    memset(best_of, 0, sizeof(best_of))
    memset(inside_of, 0, sizeof(inside_of))
    memset(inside, 0, sizeof(inside))
    memset(last_seen, 0, sizeof(last_seen))
    for j in range(asked.slots):
        ends_at[j] = -1
    memset(nearness, 0, sizeof(nearness))
    memset(out, 0, FEATURES * sizeof(float))
    out[8] = words
    out[9] = cues
    if count == 0:
        return
    for k in range(count):
        slot = events[k].slot
        # runs: the slots before must end at the word before
        value = 0
        other = ends_at[slot - 1] if slot else -1
        while other >= 0 and events[other].position + MAX_JOIN >= events[k].position:
            if events[other].position + events[other].words == events[k].position and events[other].run > value:
                value = events[other].run
            other = events[other].earlier
        for j in range(slot, slot + events[k].span):
            value += asked.weights[j] * events[k].similarity
            if events[k].similarity > best_of[j]:
                best_of[j] = events[k].similarity
            if asked.counted[j]:
                if inside[j] == 0:
                    inside_of[j] = events[k].similarity
                    gain += asked.weights[j] * events[k].similarity
                elif events[k].similarity > inside_of[j]:
                    gain += asked.weights[j] * (events[k].similarity - inside_of[j])
                    inside_of[j] = events[k].similarity
                inside[j] += 1
        events[k].run = value
        j = slot + events[k].span - 1
        events[k].earlier = ends_at[j]
        ends_at[j] = k
        if value > phrase:
            phrase = value
        if slot and last_seen[slot - 1]:
            gap = events[k].position - (last_seen[slot - 1] - 1)
            if 1 <= gap <= 6 and 1.0 / gap > nearness[slot]:
                nearness[slot] = 1.0 / gap
        for j in range(slot, slot + events[k].span):
            last_seen[j] = events[k].position + 1
            if j > slot:
                nearness[j] = 1
        # the densest window ends here
        while events[k].position - events[left].position >= width:
            for j in range(events[left].slot, events[left].slot + events[left].span):
                if asked.counted[j]:
                    inside[j] -= 1
                    if inside[j] == 0:
                        gain -= asked.weights[j] * inside_of[j]
                    elif events[left].similarity == inside_of[j]:
                        # the best of those that stay
                        value = 0
                        for other in range(left + 1, k + 1):
                            if (events[other].slot <= j < events[other].slot + events[other].span
                                    and events[other].similarity > value):
                                value = events[other].similarity
                                if value == inside_of[j]:
                                    break
                        gain -= asked.weights[j] * (inside_of[j] - value)
                        inside_of[j] = value
            left += 1
        extent = events[k].position - events[left].position
        if gain > best_gain + 1e-6 or (gain > best_gain - 1e-6 and extent < best_extent):
            best_gain = gain
            best_extent = extent
            out[6] = events[left].start
            out[7] = events[k].end
    value = 0
    for j in range(asked.slots):
        if asked.counted[j]:
            value += asked.weights[j] * best_of[j]
            matched += best_of[j] > 0
            exact += best_of[j] >= 1
        if j:
            weight = (asked.weights[j - 1] + asked.weights[j]) / 2
            near_total += weight
            near += weight * nearness[j]
    out[0] = value / asked.total if asked.total > 0 else 0
    out[1] = best_gain / asked.total if asked.total > 0 else 0
    out[2] = phrase / asked.all_total if asked.all_total > 0 else 0
    out[3] = near / near_total if near_total > 0 else 0
    out[4] = matched
    out[5] = exact
    out[10] = best_extent + 1

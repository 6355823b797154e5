"""The features of a passage: numbers that describe how the words of a query match in it.

Each word of a query has a weight; how well it matches is a similarity, 1 for an exact match.
coverage: sum of weight * similarity over the query's words that match, over the weight of all its words; without stop
words. window: the coverage of the densest window, the range of at most a given number of words with the highest
coverage. phrase: the heaviest sequence of query words that occurs unbroken, over the weight of all words of the query.
near: weighted mean over neighbouring words of the query of 1 / distance, where they occur in order within six words,
else 0. matched, exact: how many words of the query, without stop words, match, and how many of them exactly.
start, end: the densest window, in bytes from the start of the passage. window_words: its length in words.
words: the number of words of the passage. cues: how many of them show the kind of answer it holds, such as a time.
held: the share of `coverage` that is evidence, 0 to 1. The words of a name, several words written as one such as
MapLibre, are no evidence where the passage does not hold all of them next to each other, in their order.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from recall_rank._core.text.token_buffer cimport MAX_JOIN

FEATURE_NAMES = ("coverage", "window", "phrase", "near", "matched", "exact", "start", "end", "words", "cues",
                 "window_words", "held")


cdef float weight_apart(const QueryWords* query, const float* best_of, const float* nearness) noexcept nogil:
    """Return the matched weight of the names whose words do not all stand next to each other in the passage.

    A name is several words of the query written as one, such as MapLibre. best_of and nearness, f32[slots], are the
    best similarity of each word of the query and how near it comes to the word before it, 1 where they are neighbours.
    """
    cdef uint8_t[SLOTS] apart
    cdef float weight = 0
    cdef int name, j
    memset(apart, 0, sizeof(apart))
    for name in range(query.names):
        for j in range(query.name_first[name] + 1, query.name_last[name]):
            if nearness[j] < 1:
                memset(apart + query.name_first[name], 1, query.name_last[name] - query.name_first[name])
    for j in range(query.slots):
        if apart[j] and query.counted[j]:
            weight += query.weights[j] * best_of[j]
    return weight


cdef void measure_matches(FormMatch* matches, Py_ssize_t count, const QueryWords* query, uint32_t words, int cues,
                          uint32_t width, float* out) noexcept nogil:
    """Write the features of a passage, in the order of FEATURE_NAMES, to out[0:FEATURES].

    They are computed from its `count` matches, in order of position; `run` and `earlier` of each match are set, too.
    The passage has `words` words and `cues` cue words; its densest window has at most `width` words. O(count), but
    longer for words that match repeatedly within one window.
    """
    cdef float best_of[SLOTS]
    cdef float inside_of[SLOTS]
    cdef uint32_t inside[SLOTS]
    cdef uint32_t last_seen[SLOTS]
    cdef Py_ssize_t ends_at[SLOTS]  # the last match that ends at a slot
    cdef float nearness[SLOTS]
    cdef int slot, j, matched = 0, exact = 0
    cdef Py_ssize_t k, other, left = 0
    cdef float gain = 0, best_gain = -1, phrase = 0, value, weight, near = 0, near_total = 0
    cdef uint32_t best_extent = 0, extent, gap
    memset(best_of, 0, sizeof(best_of))
    memset(inside_of, 0, sizeof(inside_of))
    memset(inside, 0, sizeof(inside))
    memset(last_seen, 0, sizeof(last_seen))
    for j in range(query.slots):
        ends_at[j] = -1
    memset(nearness, 0, sizeof(nearness))
    memset(out, 0, FEATURES * sizeof(float))
    out[8] = words
    out[9] = cues
    out[11] = 1
    if count == 0:
        return
    for k in range(count):
        slot = matches[k].slot
        # a run goes on where the previous slot's match ends at the word before this one
        value = 0
        other = ends_at[slot - 1] if slot else -1
        while other >= 0 and matches[other].position + MAX_JOIN >= matches[k].position:
            if matches[other].position + matches[other].words == matches[k].position and matches[other].run > value:
                value = matches[other].run
            other = matches[other].earlier
        for j in range(slot, slot + matches[k].span):
            value += query.weights[j] * matches[k].similarity
            if matches[k].similarity > best_of[j]:
                best_of[j] = matches[k].similarity
            if query.counted[j]:
                if inside[j] == 0:
                    inside_of[j] = matches[k].similarity
                    gain += query.weights[j] * matches[k].similarity
                elif matches[k].similarity > inside_of[j]:
                    gain += query.weights[j] * (matches[k].similarity - inside_of[j])
                    inside_of[j] = matches[k].similarity
                inside[j] += 1
        matches[k].run = value
        j = slot + matches[k].span - 1
        matches[k].earlier = ends_at[j]
        ends_at[j] = k
        if value > phrase:
            phrase = value
        if slot and last_seen[slot - 1]:
            gap = matches[k].position - (last_seen[slot - 1] - 1)
            if 1 <= gap <= 6 and 1.0 / gap > nearness[slot]:
                nearness[slot] = 1.0 / gap
        for j in range(slot, slot + matches[k].span):
            last_seen[j] = matches[k].position + 1
            if j > slot:
                nearness[j] = 1
        # the best window that ends with this match
        while matches[k].position - matches[left].position >= width:
            for j in range(matches[left].slot, matches[left].slot + matches[left].span):
                if query.counted[j]:
                    inside[j] -= 1
                    if inside[j] == 0:
                        gain -= query.weights[j] * inside_of[j]
                    elif matches[left].similarity == inside_of[j]:
                        # the best similarity among the matches that stay in the window
                        value = 0
                        for other in range(left + 1, k + 1):
                            if (matches[other].slot <= j < matches[other].slot + matches[other].span
                                    and matches[other].similarity > value):
                                value = matches[other].similarity
                                if value == inside_of[j]:
                                    break
                        gain -= query.weights[j] * (inside_of[j] - value)
                        inside_of[j] = value
            left += 1
        extent = matches[k].position - matches[left].position
        if gain > best_gain + 1e-6 or (gain > best_gain - 1e-6 and extent < best_extent):
            best_gain = gain
            best_extent = extent
            out[6] = matches[left].start
            out[7] = matches[k].end
    value = 0
    for j in range(query.slots):
        if query.counted[j]:
            value += query.weights[j] * best_of[j]
            matched += best_of[j] > 0
            exact += best_of[j] >= 1
        if j:
            weight = (query.weights[j - 1] + query.weights[j]) / 2
            near_total += weight
            near += weight * nearness[j]
    if query.names and value > 0:
        out[11] = (value - weight_apart(query, best_of, nearness)) / value
    out[0] = value / query.total if query.total > 0 else 0
    out[1] = best_gain / query.total if query.total > 0 else 0
    out[2] = phrase / query.all_total if query.all_total > 0 else 0
    out[3] = near / near_total if near_total > 0 else 0
    out[4] = matched
    out[5] = exact
    out[10] = best_extent + 1

"""BM25 over the postings of a segment, group by group and block by block."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from recall_rank._core.clock cimport rr_now
from recall_rank._core.posting_frames cimport BLOCK, ROOM
from recall_rank._core.layout cimport Worth
from recall_rank._core.lending cimport lend, take_back
from recall_rank._core.postings cimport Cursor, Postings

cdef extern from *:
    """
    #include <stddef.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Append the numbers and values of scores that are not 0, from base on, and set all to 0. Hits are scattered, and
       no processor guesses where: there is no branch, so that one more is written than is counted. */
    static ptrdiff_t rr_take_plain(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                                   ptrdiff_t count) {
        for (ptrdiff_t k = 0; k < size; k++) {
            uint32_t bits;
            memcpy(&bits, scores + k, 4);
            docs[count] = base + (uint32_t)k;
            values[count] = scores[k];
            count += bits != 0;
        }
        memset(scores, 0, (size_t)size * sizeof(float));
        return count;
    }
    /* Of `count` documents add to the scores of each what a frequency in it is worth; worths are pairs of a norm and
       a weight, one for every shape. Four are divided at once, to the bit as one by one. */
    static void rr_add_scores(const uint16_t* docs, const uint8_t* tfs, ptrdiff_t count, float weight, float factor,
                              const uint16_t* shapes, const float* worths, float* scores) {
        ptrdiff_t k = 0;
    #if defined(__SSE2__)
        const __m128 weights = _mm_set1_ps(weight), factors = _mm_set1_ps(factor);
        for (; k + 4 <= count; k += 4) {
            const uint16_t* doc = docs + k;
            __m128 low = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd((const double*)(worths + 2 * shapes[doc[0]])),
                                                    (const double*)(worths + 2 * shapes[doc[1]])));
            __m128 high = _mm_castpd_ps(_mm_loadh_pd(_mm_load_sd((const double*)(worths + 2 * shapes[doc[2]])),
                                                     (const double*)(worths + 2 * shapes[doc[3]])));
            __m128 tf = _mm_mul_ps(weights, _mm_cvtepi32_ps(_mm_set_epi32(tfs[k + 3], tfs[k + 2], tfs[k + 1], tfs[k])));
            __m128 value = _mm_mul_ps(_mm_mul_ps(_mm_shuffle_ps(low, high, 0xdd), factors), tf);
            float values[4];
            value = _mm_div_ps(value, _mm_add_ps(tf, _mm_shuffle_ps(low, high, 0x88)));
            _mm_storeu_ps(values, _mm_and_ps(value, _mm_cmpgt_ps(tf, _mm_setzero_ps())));
            scores[doc[0]] += values[0];
            scores[doc[1]] += values[1];
            scores[doc[2]] += values[2];
            scores[doc[3]] += values[3];
        }
    #endif
        for (; k < count; k++) {
            const float* worth = worths + 2 * shapes[docs[k]];
            float tf = weight * tfs[k];
            if (tf > 0) scores[docs[k]] += worth[1] * factor * tf / (tf + worth[0]);
        }
    }
    /* The same where other forms of the word were met before: their frequencies are taken along, and forgotten. */
    static void rr_add_touched(const uint16_t* docs, const uint8_t* tfs, ptrdiff_t count, float weight, float factor,
                               const uint16_t* shapes, const float* worths, float* scores, float* touched) {
        for (ptrdiff_t k = 0; k < count; k++) {
            const float* worth = worths + 2 * shapes[docs[k]];
            float tf = weight * tfs[k] + touched[docs[k]];
            touched[docs[k]] = 0;
            if (tf > 0) scores[docs[k]] += worth[1] * factor * tf / (tf + worth[0]);
        }
    }
    #if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
    #include <immintrin.h>

    static uint8_t rr_lanes[256][8];  /* of every set of eight the members, first of all */
    static void rr_fill_lanes(void) {
        for (int set = 0; set < 256; set++)
            for (int lane = 0, at = 0; lane < 8; lane++)
                if (set >> lane & 1) rr_lanes[set][at++] = (uint8_t)lane;
    }
    /* The same, eight at a time: eight are written, whatever is counted. */
    __attribute__((target("avx2,popcnt")))
    static ptrdiff_t rr_take_wide(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                                  ptrdiff_t count) {
        const __m256i zero = _mm256_setzero_si256();
        for (ptrdiff_t k = 0; k < size; k += 8) {
            __m256i found = _mm256_loadu_si256((const __m256i*)(scores + k)), lanes;
            unsigned set = 255u ^ (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(found, zero)));
            if (!set) continue;
            lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)rr_lanes[set]));
            _mm256_storeu_si256((__m256i*)(docs + count),
                                _mm256_add_epi32(_mm256_set1_epi32((int)(base + (uint32_t)k)), lanes));
            _mm256_storeu_si256((__m256i*)(values + count), _mm256_permutevar8x32_epi32(found, lanes));
            _mm256_storeu_si256((__m256i*)(scores + k), zero);
            count += __builtin_popcount(set);
        }
        return count;
    }
    static ptrdiff_t rr_take(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                             ptrdiff_t count, int wide) {
        return wide && __builtin_cpu_supports("avx2") ? rr_take_wide(scores, size, base, docs, values, count)
                                                      : rr_take_plain(scores, size, base, docs, values, count);
    }
    #else
    static void rr_fill_lanes(void) {}
    static ptrdiff_t rr_take(float* scores, ptrdiff_t size, uint32_t base, uint32_t* docs, float* values,
                             ptrdiff_t count, int wide) {
        (void)wide;
        return rr_take_plain(scores, size, base, docs, values, count);
    }
    #endif
    """
    Py_ssize_t rr_take(float* scores, Py_ssize_t size, uint32_t base, uint32_t* docs, float* values, Py_ssize_t count,
                       bint wide) noexcept nogil
    void rr_fill_lanes() noexcept nogil
    void rr_add_scores(const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count, float weight, float factor,
                       const uint16_t* shapes, const float* worths, float* scores) noexcept nogil
    void rr_add_touched(const uint16_t* docs, const uint8_t* tfs, Py_ssize_t count, float weight, float factor,
                        const uint16_t* shapes, const float* worths, float* scores, float* touched) noexcept nogil

cdef enum:
    PACE = 16384  # postings between two looks at the clock
    SPARE = 8     # documents that are written at once
    MAINS = 128   # groups whose commonest form is looked up once, not once a block
    TOUCHED = BLOCK + 8  # one is written before it is counted
    WORK = 3 * BLOCK * 4 + 2 * TOUCHED * 2  # bytes

rr_fill_lanes()


cdef bint room_for_work(Work* work, Py_ssize_t documents) noexcept nogil:
    """Room to weigh blocks of segments of up to `documents` in; False when memory ran out. `first` is not cleared."""
    cdef Py_ssize_t size = (BLOCK if documents > BLOCK else (documents + 7) & ~7) * sizeof(float)
    memset(work, 0, sizeof(Work))
    work.memory = lend(WORK)
    if work.memory == NULL:
        return False
    work.scores = <float*>work.memory
    work.first.tf = work.scores + BLOCK
    work.second.tf = work.first.tf + BLOCK
    work.first.docs = <uint16_t*>(work.second.tf + BLOCK)
    work.second.docs = work.first.docs + TOUCHED
    memset(work.scores, 0, size)
    memset(work.second.tf, 0, size)
    return True


cdef void release_work(Work* work) noexcept nogil:
    take_back(work.memory, WORK)


cdef int64_t main_of(Postings postings, const Groups* groups, Py_ssize_t group) noexcept nogil:
    """The member of a group that is one term and has the most documents; -1 where there is none.

    Half of a word has none: no document counts before its other half is known.
    """
    cdef uint32_t member, first
    cdef int64_t found = -1, count, most = -1
    if groups.joint[group] or (group + 1 < groups.count and groups.joint[group + 1]):
        return -1
    if groups.starts[group + 1] == groups.starts[group] + 1:
        member = groups.starts[group]
        return member if groups.lasts[member] == groups.firsts[member] + 1 else -1
    for member in range(groups.starts[group], groups.starts[group + 1]):
        first = groups.firsts[member]
        if groups.lasts[member] == first + 1:
            count = postings.count(first, first + 1, NULL, 0)
            if count > most:
                found, most = member, count
    return found


cdef inline Py_ssize_t keep(uint16_t* docs, uint8_t* tfs, Py_ssize_t count, const uint8_t* mask,
                            Py_ssize_t limit) noexcept nogil:
    """Leave out documents that are not marked, NULL marking all, or not below `limit`; how many stay."""
    cdef Py_ssize_t k, kept = 0
    while count and docs[count - 1] >= limit:
        count -= 1
    if mask == NULL:
        return count
    for k in range(count):  # no branch: which are marked is anyone's guess
        docs[kept] = docs[k]
        tfs[kept] = tfs[k]
        kept += mask[docs[k]] != 0
    return kept


cdef uint64_t add_term(Postings postings, Py_ssize_t block, uint32_t term, float weight, float factor,
                       const Worth* worths, const uint16_t* shapes, const uint8_t* mask, Py_ssize_t limit,
                       float* scores, float* touched) noexcept nogil:
    """Add one term's evidence to the documents of a block, with the frequencies that were touched, unless these are
    NULL; the postings read."""
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef uint64_t work = 0
    cdef Py_ssize_t count
    cdef Cursor cursor
    postings.seek(block, term, term + 1, &cursor)
    while True:
        count = postings.next_run(&cursor, docs, tfs)
        if count == 0:
            return work
        work += count
        count = keep(docs, tfs, count, mask, limit)
        if touched == NULL:
            rr_add_scores(docs, tfs, count, weight, factor, shapes, <const float*>worths, scores)
        else:
            rr_add_touched(docs, tfs, count, weight, factor, shapes, <const float*>worths, scores, touched)


cdef uint64_t touch(Postings postings, Py_ssize_t block, const Groups* groups, Py_ssize_t group, int64_t but,
                    const uint8_t* mask, Py_ssize_t limit, Touched* touched) noexcept nogil:
    """Sum the weighted frequencies of a group's members, `but` left out, in every document of a block; the postings
    read."""
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef float* tf_of = touched.tf
    cdef uint16_t* met = touched.docs
    cdef Py_ssize_t member, k, kept, count = 0
    cdef uint64_t work = 0
    cdef uint16_t doc
    cdef float weight
    cdef Cursor cursor
    for member in range(groups.starts[group], groups.starts[group + 1]):
        if member == but:
            continue
        weight = groups.weights[member]
        postings.seek(block, groups.firsts[member], groups.lasts[member], &cursor)
        work += cursor.lone_end - cursor.lone if cursor.lone < cursor.lone_end else 0  # each is looked at
        while True:
            kept = postings.next_run(&cursor, docs, tfs)
            if kept == 0:
                break
            work += kept
            kept = keep(docs, tfs, kept, mask, limit)
            for k in range(kept):
                doc = docs[k]
                met[count] = doc  # no branch: whether it is new is anyone's guess
                # a weight of 0 touches again and again
                count += (tf_of[doc] == 0) & (count < BLOCK)
                tf_of[doc] += weight * tfs[k]
    touched.count = count
    return work


cdef void settle(Touched* touched, Touched* before, float factor, const Worth* worths, const uint16_t* shapes,
                 float* scores) noexcept nogil:
    """Add what was touched to the scores and forget it; with `before`, of both halves the rarer counts."""
    cdef Py_ssize_t k
    cdef const Worth* worth
    cdef uint16_t doc
    cdef float tf
    for k in range(touched.count):
        doc = touched.docs[k]
        tf = touched.tf[doc]
        touched.tf[doc] = 0
        if before != NULL and before.tf[doc] < tf:
            tf = before.tf[doc]
        if tf > 0:
            worth = worths + shapes[doc]
            scores[doc] += worth.weight * factor * tf / (tf + worth.norm)
    touched.count = 0
    if before != NULL:
        for k in range(before.count):
            before.tf[before.docs[k]] = 0
        before.count = 0


cdef bint accumulate_block(Postings postings, Py_ssize_t block, const Groups* groups, const int64_t* mains,
                           const uint16_t* shapes, const uint8_t* mask, Py_ssize_t limit, Work* room,
                           int64_t deadline) noexcept nogil:
    """Add all groups to the scores of a block; False when the deadline came before the last of them."""
    cdef float* scores = room.scores
    cdef Touched* first = &room.first
    cdef Touched* second = &room.second
    cdef Py_ssize_t group
    cdef uint64_t work = 0
    cdef int64_t main
    cdef float factor
    for group in range(groups.count):
        factor = groups.factors[group] * (groups.k1 + 1)
        if group + 1 < groups.count and groups.joint[group + 1]:
            work += touch(postings, block, groups, group, -1, mask, limit, first)  # the first half waits for the second
        elif groups.joint[group]:
            work += touch(postings, block, groups, group, -1, mask, limit, second)
            settle(second, first, factor, groups.worths, shapes, scores)
        else:
            # most documents of a word hold its commonest form only: these are not gone through twice
            main = mains[group] if group < MAINS else main_of(postings, groups, group)
            work += touch(postings, block, groups, group, main, mask, limit, second)
            if main >= 0:
                work += add_term(postings, block, groups.firsts[main], groups.weights[main], factor, groups.worths,
                                 shapes, mask, limit, scores, second.tf if second.count else NULL)
            settle(second, NULL, factor, groups.worths, shapes, scores)
        if deadline and work > PACE:
            work = 0
            if rr_now() >= deadline:
                return False
    return True


cdef bint room_for_documents(Held* held, Py_ssize_t documents) noexcept nogil:
    """Room for `documents`, and for those that are written before they are counted."""
    held.count = 0
    held.room = documents + SPARE
    held.docs = <uint32_t*>lend(held.room * sizeof(uint32_t))
    held.scores = <float*>lend(held.room * sizeof(float))
    return held.docs != NULL and held.scores != NULL


cdef void release_documents(Held* held) noexcept nogil:
    take_back(held.docs, held.room * sizeof(uint32_t))
    take_back(held.scores, held.room * sizeof(float))
    memset(held, 0, sizeof(Held))


cdef void take(float* scores, uint32_t base, Py_ssize_t limit, Held* held, bint wide) noexcept nogil:
    """Move the evidence of a block, which has `limit` documents, to those that are held; all scores are 0 again."""
    cdef Py_ssize_t size = BLOCK if limit > BLOCK else (limit + 7) & ~7
    held.count = rr_take(scores, size, base, held.docs, held.scores, held.count, wide)


def taken(float[::1] scores not None, bint wide):
    """(document, score) for every score but 0; all are 0 afterwards. Their number is a multiple of 8."""
    cdef Held held
    cdef Py_ssize_t k, size = scores.shape[0]
    if size % 8:
        raise ValueError(f"scores must be a multiple of 8, not {size}")
    try:
        if not room_for_documents(&held, size):
            raise MemoryError
        if size:
            held.count = rr_take(&scores[0], size, 0, held.docs, held.scores, 0, wide)
        return [(held.docs[k], held.scores[k]) for k in range(held.count)]
    finally:
        release_documents(&held)


cdef Py_ssize_t accumulate_blocks(Postings postings, const Groups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, Held* held, Work* work,
                                  int64_t deadline) noexcept nogil:
    """Append the documents to which the groups give evidence, newest block first; the blocks that were done.

    A block is all or nothing: of one that the deadline interrupts, no document is there, and its work is of no use to
    anyone else.
    """
    cdef int64_t[MAINS] mains
    cdef Py_ssize_t group, block, base, done = 0
    cdef const uint8_t* mask
    cdef int64_t ends
    for group in range(min(groups.count, MAINS)):
        mains[group] = main_of(postings, groups, group)
    for group in range(groups.count):
        if groups.joint[group]:  # few queries have halves
            memset(work.first.tf, 0, BLOCK * sizeof(float))
            break
    for block in range(postings.block_count):
        ends = deadline - held.count * AFTERWARDS if deadline else 0
        if deadline and rr_now() >= ends:
            break
        base = block * BLOCK
        if base >= documents:
            done = block + 1  # nothing the postings name is a document any more
            continue
        mask = eligible + base if eligible != NULL else NULL
        if not accumulate_block(postings, block, groups, mains, shapes + base, mask, documents - base, work,
                                ends):
            break
        take(work.scores, base, documents - base, held, True)
        done = block + 1
    return done

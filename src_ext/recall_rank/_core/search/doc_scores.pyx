"""BM25 over the postings of a segment, group by group and block by block."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from recall_rank._core.search.block_scores cimport rr_add_scores, rr_add_touched, rr_fill_lanes, rr_take
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.index.doc_columns cimport Worth
from recall_rank._core.runtime.scratch_pool cimport acquire, acquire_zeroed, release, release_zeroed
from recall_rank._core.index.posting_frames cimport BLOCK, ROOM
from recall_rank._core.index.postings cimport Cursor, Postings

cdef enum:
    PACE = 16384  # postings between two checks of the deadline
    SPARE = 8     # documents written at a time
    MAINS = 128   # groups whose most frequent member is looked up once, not for each block
    TOUCHED = BLOCK + 8  # entries are written before they are counted
    NUMBERS = 3 * BLOCK * 4      # bytes of the scores and of two columns of frequencies
    MET = 2 * TOUCHED * 2        # bytes of the documents of both columns

rr_fill_lanes()


cdef bint room_for_work(Work* work) noexcept nogil:
    """Allocate the scratch arrays for scoring blocks; False when memory ran out."""
    work.left = False
    work.scores = <float*>acquire_zeroed(NUMBERS)
    work.first.docs = <uint16_t*>acquire(MET)
    if work.scores == NULL or work.first.docs == NULL:
        release_work(work)
        return False
    work.first.tf = work.scores + BLOCK
    work.second.tf = work.first.tf + BLOCK
    work.second.docs = work.first.docs + TOUCHED
    work.first.count = work.second.count = 0
    return True


cdef void release_work(Work* work) noexcept nogil:
    if work.left:
        memset(work.scores, 0, NUMBERS)
    release_zeroed(work.scores, NUMBERS)
    release(work.first.docs, MET)


cdef int64_t main_of(Postings postings, const Groups* groups, Py_ssize_t group) noexcept nogil:
    """The member of a group that is one term and has the most documents; -1 when there is none.

    A half of a word has none: no document counts before its other half is known.
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
    """Remove documents that `mask` does not mark (NULL marks all) or that are not below `limit`; returns the number
    left.
    """
    cdef Py_ssize_t k, kept = 0
    while count and docs[count - 1] >= limit:
        count -= 1
    if mask == NULL:
        return count
    for k in range(count):  # no branch: marks cannot be predicted
        docs[kept] = docs[k]
        tfs[kept] = tfs[k]
        kept += mask[docs[k]] != 0
    return kept


cdef uint64_t add_term(Postings postings, Py_ssize_t block, uint32_t term, float weight, float factor,
                       const Worth* worths, const uint16_t* shapes, const uint8_t* mask, Py_ssize_t limit,
                       float* scores, float* touched) noexcept nogil:
    """Add one term's evidence to the scores of a block; returns the number of postings read.

    `touched` has weighted frequencies of other members to add to those of the term; NULL when there are none.
    """
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
    """Sum the weighted frequencies of a group's members, except `but`, for each document of a block.

    Returns the number of postings read.
    """
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
        work += cursor.lone_end - cursor.lone if cursor.lone < cursor.lone_end else 0  # each lone term is checked
        while True:
            kept = postings.next_run(&cursor, docs, tfs)
            if kept == 0:
                break
            work += kept
            kept = keep(docs, tfs, kept, mask, limit)
            for k in range(kept):
                doc = docs[k]
                met[count] = doc  # no branch: whether the document is new cannot be predicted
                # with a weight of 0 a document stays new
                count += (tf_of[doc] == 0) & (count < BLOCK)
                tf_of[doc] += weight * tfs[k]
    touched.count = count
    return work


cdef void settle(Touched* touched, Touched* before, float factor, const Worth* worths, const uint16_t* shapes,
                 float* scores) noexcept nogil:
    """Add the evidence of the frequencies in `touched` to the scores, and clear them.

    `before` has the frequencies of the first half of a word, NULL for none: the smaller frequency of both halves
    counts.
    """
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
    """Add the evidence of all groups to the scores of a block; False when the deadline passed before the last
    group.
    """
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
            work += touch(postings, block, groups, group, -1, mask, limit, first)
        elif groups.joint[group]:
            work += touch(postings, block, groups, group, -1, mask, limit, second)
            settle(second, first, factor, groups.worths, shapes, scores)
        else:
            # most documents of a word hold only its most frequent member, which is scored in one pass
            main = mains[group] if group < MAINS else main_of(postings, groups, group)
            work += touch(postings, block, groups, group, main, mask, limit, second)
            if main >= 0:
                work += add_term(postings, block, groups.firsts[main], groups.weights[main], factor, groups.worths,
                                 shapes, mask, limit, scores, second.tf if second.count else NULL)
            settle(second, NULL, factor, groups.worths, shapes, scores)
        if deadline and work > PACE:
            work = 0
            if rr_monotonic_ns() >= deadline:
                return False
    return True


cdef bint room_for_documents(DocScores* held, Py_ssize_t documents) noexcept nogil:
    """Allocate columns for `documents` scored documents; False when memory ran out. release_documents() frees them."""
    held.count = 0
    held.room = documents + SPARE
    held.docs = <uint32_t*>acquire(held.room * sizeof(uint32_t))
    held.scores = <float*>acquire(held.room * sizeof(float))
    return held.docs != NULL and held.scores != NULL


cdef void release_documents(DocScores* held) noexcept nogil:
    release(held.docs, held.room * sizeof(uint32_t))
    release(held.scores, held.room * sizeof(float))
    memset(held, 0, sizeof(DocScores))


cdef void take(float* scores, uint32_t base, Py_ssize_t limit, DocScores* held, bint wide) noexcept nogil:
    """Append the documents of a block with a score to `held`, and clear the scores. The block has `limit`
    documents.
    """
    cdef Py_ssize_t size = BLOCK if limit > BLOCK else (limit + 7) & ~7
    held.count = rr_take(scores, size, base, held.docs, held.scores, held.count, wide)


def taken(float[::1] scores not None, bint wide):
    """(document, score) for every score that is not 0; clears the scores. Their number must be a multiple of 8."""
    cdef DocScores held
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
                                  const uint8_t* eligible, Py_ssize_t documents, DocScores* held, Work* work,
                                  int64_t deadline) noexcept nogil:
    """Append every document with evidence to `held`, newest block first; returns the number of blocks done.

    A block that the deadline interrupts adds no document, so that the documents are those of whole blocks.
    """
    cdef int64_t[MAINS] mains
    cdef Py_ssize_t group, block, base, done = 0
    cdef const uint8_t* mask
    cdef int64_t ends
    for group in range(min(groups.count, MAINS)):
        mains[group] = main_of(postings, groups, group)
    for block in range(postings.block_count):
        ends = deadline - held.count * AFTERWARDS if deadline else 0
        if deadline and rr_monotonic_ns() >= ends:
            break
        base = block * BLOCK
        if base >= documents:
            done = block + 1  # the postings list documents beyond the last one
            continue
        mask = eligible + base if eligible != NULL else NULL
        work.left = not accumulate_block(postings, block, groups, mains, shapes + base, mask, documents - base, work,
                                         ends)
        if work.left:
            break
        take(work.scores, base, documents - base, held, True)
        done = block + 1
    return done

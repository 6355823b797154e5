"""BM25 (Robertson and Zaragoza 2009) over the postings of a segment, one block of 65,536 documents at a time.

Within a block, one term group after the other is added to an array of scores (term-at-a-time). A group is one query
word with all its forms, its members; its frequency is the weighted sum of the frequencies of its members.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from recall_rank._core.search.block_scores cimport (rr_add_scores, rr_add_scores_and_sums, rr_bm25,
                                                    rr_collect_nonzero, rr_fill_lanes)
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.index.doc_columns cimport ShapeWeight
from recall_rank._core.runtime.scratch_pool cimport acquire, acquire_zeroed, release, release_zeroed
from recall_rank._core.index.posting_frames cimport BLOCK, ROOM
from recall_rank._core.index.postings cimport Cursor, Postings

cdef enum:
    CLOCK_POSTINGS = 16384  # postings read between two reads of the clock
    OVERRUN = 8     # elements that a SIMD store may write behind the last one
    MAX_MAIN_MEMBERS = 128   # groups whose main member is computed once a search, not once a block
    SUMMED_DOCS = BLOCK + 8  # a document is written before it is counted, so there is always room for one more
    FLOAT_BYTES = 3 * BLOCK * 4      # the scores and the sums of two groups
    DOC_BYTES = 2 * SUMMED_DOCS * 2  # the documents of two groups

rr_fill_lanes()


cdef bint reserve_scratch(BlockScratch* scratch) noexcept nogil:
    """Allocate the memory that accumulate_blocks() works in; return False if memory ran out, with nothing to release.

    Otherwise, release_scratch() must follow.
    """
    scratch.dirty = False
    scratch.scores = <float*>acquire_zeroed(FLOAT_BYTES)
    scratch.first.docs = <uint16_t*>acquire(DOC_BYTES)
    if scratch.scores == NULL or scratch.first.docs == NULL:
        release_scratch(scratch)
        return False
    scratch.first.tf = scratch.scores + BLOCK
    scratch.second.tf = scratch.first.tf + BLOCK
    scratch.second.docs = scratch.first.docs + SUMMED_DOCS
    scratch.first.count = scratch.second.count = 0
    return True


cdef void release_scratch(BlockScratch* scratch) noexcept nogil:
    """Return the memory of reserve_scratch() to the pool, with all floats set to 0."""
    if scratch.dirty:
        memset(scratch.scores, 0, FLOAT_BYTES)
    release_zeroed(scratch.scores, FLOAT_BYTES)
    release(scratch.first.docs, DOC_BYTES)


cdef int64_t main_member(Postings postings, const QueryGroups* groups, Py_ssize_t group) noexcept nogil:
    """Return the index of a group's main member: of its members that are a single term, the one in most documents.

    The main member is scored directly from its postings, without the array of sums. Return -1 for a group without such
    a member, and for the half of a compound word, whose frequencies count only after the other half is known.
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


cdef inline Py_ssize_t keep_eligible(uint16_t* docs, uint8_t* tfs, Py_ssize_t count, const uint8_t* mask,
                                     Py_ssize_t doc_count) noexcept nogil:
    """Remove the postings of ineligible documents from docs[0:count] and tfs[0:count], and return how many remain.

    A document is eligible if it is below doc_count and mask[document] is not 0; a NULL mask means all. docs ascend.
    """
    cdef Py_ssize_t k, count_left = 0
    while count and docs[count - 1] >= doc_count:
        count -= 1
    if mask == NULL:
        return count
    for k in range(count):  # without a branch, since eligible documents cannot be predicted
        docs[count_left] = docs[k]
        tfs[count_left] = tfs[k]
        count_left += mask[docs[k]] != 0
    return count_left


cdef uint64_t score_term(Postings postings, Py_ssize_t block, uint32_t term, float weight, float factor,
                         const ShapeWeight* shape_weights, const uint16_t* shapes, const uint8_t* mask,
                         Py_ssize_t doc_count, float* scores, float* sums) noexcept nogil:
    """Add the BM25 scores of a term to `scores`, one for each document of a block; return the number of postings read.

    A frequency is multiplied by `weight`, a score by `factor`. `sums`, if not NULL, has for each document the
    frequencies of the other members of the term's group; in a document with the term, they are added to its frequency,
    and reset to 0. `shapes` and `mask` begin at the block's first document (mask not 0: eligible; NULL: all); documents
    from doc_count on are not scored.
    """
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef uint64_t postings_read = 0
    cdef Py_ssize_t count
    cdef Cursor cursor
    postings.seek(block, term, term + 1, &cursor)
    while True:
        count = postings.next_run(&cursor, docs, tfs)
        if count == 0:
            return postings_read
        postings_read += count
        count = keep_eligible(docs, tfs, count, mask, doc_count)
        if sums == NULL:
            rr_add_scores(docs, tfs, count, weight, factor, shapes, <const float*>shape_weights, scores)
        else:
            rr_add_scores_and_sums(docs, tfs, count, weight, factor, shapes, <const float*>shape_weights, scores, sums)


cdef uint64_t sum_frequencies(Postings postings, Py_ssize_t block, const QueryGroups* groups, Py_ssize_t group,
                              int64_t skipped, const uint8_t* mask, Py_ssize_t doc_count,
                              FrequencySums* sums) noexcept nogil:
    """Write to *sums the weighted frequencies of a group in every eligible document of a block.

    They are the sum over the group's members, except the one with the index `skipped`, -1 for none. sums.tf must be 0
    before. Return the number of postings read. `mask` begins at the block's first document (not 0: eligible; NULL:
    all); documents from doc_count on are left out.
    """
    cdef uint16_t docs[ROOM]
    cdef uint8_t tfs[ROOM]
    cdef float* tf_sums = sums.tf
    cdef uint16_t* docs_met = sums.docs
    cdef Py_ssize_t member, k, count_left, count = 0
    cdef uint64_t postings_read = 0
    cdef uint16_t doc
    cdef float weight
    cdef Cursor cursor
    for member in range(groups.starts[group], groups.starts[group + 1]):
        if member == skipped:
            continue
        weight = groups.weights[member]
        postings.seek(block, groups.firsts[member], groups.lasts[member], &cursor)
        # next_run() tests each lone term
        postings_read += cursor.lone_end - cursor.lone if cursor.lone < cursor.lone_end else 0
        while True:
            count_left = postings.next_run(&cursor, docs, tfs)
            if count_left == 0:
                break
            postings_read += count_left
            count_left = keep_eligible(docs, tfs, count_left, mask, doc_count)
            for k in range(count_left):
                doc = docs[k]
                docs_met[count] = doc  # without a branch, since new documents cannot be predicted
                # a weight of 0 leaves the sum at 0, so that a document can be appended more than once
                count += (tf_sums[doc] == 0) & (count < BLOCK)
                tf_sums[doc] += weight * tfs[k]
    sums.count = count
    return postings_read


cdef void score_sums(FrequencySums* sums, FrequencySums* before, float factor, const ShapeWeight* shape_weights,
                     const uint16_t* shapes, float* scores) noexcept nogil:
    """Add the BM25 scores of summed frequencies to `scores`, and reset the sums to 0.

    `before`, if not NULL, has the sums of the other half of a compound word; the smaller of both frequencies is scored.
    """
    cdef Py_ssize_t k
    cdef uint16_t doc
    cdef float tf
    for k in range(sums.count):
        doc = sums.docs[k]
        tf = sums.tf[doc]
        sums.tf[doc] = 0
        if before != NULL and before.tf[doc] < tf:
            tf = before.tf[doc]
        if tf > 0:
            scores[doc] += rr_bm25(tf, factor, <const float*>(shape_weights + shapes[doc]))
    sums.count = 0
    if before != NULL:
        for k in range(before.count):
            before.tf[before.docs[k]] = 0
        before.count = 0


cdef bint accumulate_block(Postings postings, Py_ssize_t block, const QueryGroups* groups, const int64_t* main_members,
                           const uint16_t* shapes, const uint8_t* mask, Py_ssize_t doc_count, BlockScratch* scratch,
                           int64_t deadline) noexcept nogil:
    """Add the scores of all groups to scratch.scores, one for each document of a block; return False at the deadline.

    Then the scores are incomplete. The deadline is in ns of the monotonic clock, 0 for none. main_members[g] is
    main_member() of group g, for the first MAX_MAIN_MEMBERS groups. `shapes` (document -> index into
    groups.shape_weights) and `mask` (not 0: eligible; NULL: all) begin at the block's first document; documents from
    doc_count on are not scored.
    """
    cdef float* scores = scratch.scores
    cdef FrequencySums* first = &scratch.first
    cdef FrequencySums* second = &scratch.second
    cdef Py_ssize_t group
    cdef uint64_t postings_read = 0
    cdef int64_t main
    cdef float factor
    for group in range(groups.count):
        factor = groups.factors[group] * (groups.k1 + 1)
        if group + 1 < groups.count and groups.joint[group + 1]:
            # the first half is scored with the second
            postings_read += sum_frequencies(postings, block, groups, group, -1, mask, doc_count, first)
        elif groups.joint[group]:
            postings_read += sum_frequencies(postings, block, groups, group, -1, mask, doc_count, second)
            score_sums(second, first, factor, groups.shape_weights, shapes, scores)
        else:
            # most documents with the word have its main form only: these are scored without the detour through the sums
            main = main_members[group] if group < MAX_MAIN_MEMBERS else main_member(postings, groups, group)
            postings_read += sum_frequencies(postings, block, groups, group, main, mask, doc_count, second)
            if main >= 0:
                postings_read += score_term(postings, block, groups.firsts[main], groups.weights[main], factor,
                                            groups.shape_weights, shapes, mask, doc_count, scores,
                                            second.tf if second.count else NULL)
            score_sums(second, NULL, factor, groups.shape_weights, shapes, scores)
        if deadline and postings_read > CLOCK_POSTINGS:
            postings_read = 0
            if rr_monotonic_ns() >= deadline:
                return False
    return True


cdef bint reserve_doc_scores(DocScores* scored, Py_ssize_t documents) noexcept nogil:
    """Allocate memory for the scores of `documents` documents; return False when memory ran out.

    release_doc_scores() must follow in either case.
    """
    scored.count = 0
    scored.capacity = documents + OVERRUN
    scored.docs = <uint32_t*>acquire(scored.capacity * sizeof(uint32_t))
    scored.scores = <float*>acquire(scored.capacity * sizeof(float))
    return scored.docs != NULL and scored.scores != NULL


cdef void release_doc_scores(DocScores* scored) noexcept nogil:
    """Return the memory of reserve_doc_scores() to the pool and set *scored to zeros."""
    release(scored.docs, scored.capacity * sizeof(uint32_t))
    release(scored.scores, scored.capacity * sizeof(float))
    memset(scored, 0, sizeof(DocScores))


cdef void collect_block(float* scores, uint32_t base, Py_ssize_t doc_count, DocScores* scored,
                        bint use_simd) noexcept nogil:
    """Append the documents of a block with a score above 0 to `scored`, and reset `scores` to 0.

    scores[k] is that of document base + k; there are doc_count documents from `base` on, of which BLOCK are in the
    block.
    """
    cdef Py_ssize_t size = BLOCK if doc_count > BLOCK else (doc_count + 7) & ~7
    scored.count = rr_collect_nonzero(scores, size, base, scored.docs, scored.scores, scored.count, use_simd)


def nonzero_scores(float[::1] scores not None, bint use_simd):
    """Return a list of (index, score) for the elements of scores, f32[n], that are not 0; reset all to 0.

    `use_simd` permits AVX2 where the processor has it; results are equal. Raises ValueError unless n % 8 == 0.
    """
    cdef DocScores scored
    cdef Py_ssize_t k, size = scores.shape[0]
    if size % 8:
        raise ValueError(f"the number of scores must be a multiple of 8, not {size}")
    try:
        if not reserve_doc_scores(&scored, size):
            raise MemoryError
        if size:
            scored.count = rr_collect_nonzero(&scores[0], size, 0, scored.docs, scored.scores, 0, use_simd)
        return [(scored.docs[k], scored.scores[k]) for k in range(scored.count)]
    finally:
        release_doc_scores(&scored)


cdef int64_t time_to_fuse(const ReadTime* time, Py_ssize_t found, int64_t now) noexcept nogil:
    """Return the ns to leave for fusing and ranking what was scored until `now`, `found` documents by each thread.

    Both depend on the machine, and on how far apart the documents lie in memory, as scoring them did: over ten million
    parts they took .9 to 1.5 times as long. Ranking ends at the deadline where that is not enough.
    """
    cdef int64_t all_ns = found * SCORE_ALL_NS if time.scores_all else 0
    return (min(found * MOST_FUSE_NS, (now - time.begun) * 3 // 2) + all_ns) * time.threads


cdef Py_ssize_t accumulate_blocks(Postings postings, const QueryGroups* groups, const uint16_t* shapes,
                                  const uint8_t* eligible, Py_ssize_t documents, DocScores* scored,
                                  BlockScratch* scratch, const ReadTime* time) noexcept nogil:
    """Score the documents of all blocks, in ascending order, and append those with a score above 0 to `scored`.

    eligible, u8[documents], marks the documents that may be scored; NULL means all. shapes, u16[documents], has the
    shape of each (DocColumns.doc_shapes). `scratch` is memory of reserve_scratch(). Return the number of complete
    blocks; a block that the deadline interrupts adds no document. Reading ends before the deadline, so that time is
    left for fusing and ranking the documents found so far.
    """
    cdef int64_t[MAX_MAIN_MEMBERS] main_members
    cdef Py_ssize_t group, block, base, done = 0
    cdef const uint8_t* mask
    cdef int64_t stop = 0, now
    for group in range(min(groups.count, MAX_MAIN_MEMBERS)):
        main_members[group] = main_member(postings, groups, group)
    for block in range(postings.block_count):
        if time.deadline:
            now = rr_monotonic_ns()
            stop = time.deadline - time_to_fuse(time, time.found + scored.count, now)
            if now >= stop:
                break
        base = block * BLOCK
        if base >= documents:
            done = block + 1  # the postings may cover more documents than the columns
            continue
        mask = eligible + base if eligible != NULL else NULL
        scratch.dirty = not accumulate_block(postings, block, groups, main_members, shapes + base, mask,
                                             documents - base, scratch, stop)
        if scratch.dirty:
            break
        collect_block(scratch.scores, base, documents - base, scored, True)
        done = block + 1
    return done

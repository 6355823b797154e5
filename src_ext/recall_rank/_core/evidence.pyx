"""Accumulate IDF-weighted, saturated, length-normalised evidence for a query over a whole segment.

Documents are passages; the best passage stands for its part, the best part for its message. Neighbouring
messages and the session add to a part. Everything is O(postings touched).
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.math cimport cbrtf, logf
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from recall_rank._core.clock cimport rr_now
from recall_rank._core.hits cimport TITLE, Hit, SessionHits, add_hit, best_first
from recall_rank._core.layout cimport CLASSES, LONGEST, Layout, Worth
from recall_rank._core.postings cimport Postings

cdef enum:
    BLOCK = 65536
    ASSISTANT = 2        # the class of an agent's prose
    PACE = 16384         # postings between two looks at the clock


cdef const uint32_t* column32(const uint32_t[::1] view) noexcept nogil:
    """The address of a column; NULL where it is empty, and nothing is read."""
    return &view[0] if view.shape[0] else NULL


cdef const uint8_t* column8(const uint8_t[::1] view) noexcept nogil:
    return &view[0] if view.shape[0] else NULL


cdef class Evidence:
    """The evidence of one query over one segment. Not shared between threads; columns and postings are."""

    cdef Layout layout
    cdef Postings postings
    cdef object eligible
    cdef const uint8_t[::1] eligible_view
    cdef float* scores            # a document
    cdef float* message_best
    cdef float* session_sum
    cdef float* session_title
    cdef Hit* hits
    cdef readonly Py_ssize_t hit_count
    cdef Py_ssize_t room          # Hits that fit into `hits`
    cdef readonly uint32_t tiers  # 1 after fuse(), and 1 more for every extension
    cdef readonly Py_ssize_t blocks_done
    cdef readonly Py_ssize_t docs_done

    def __cinit__(self, Layout layout not None, Postings postings not None, eligible=None):
        self.layout = layout
        self.postings = postings
        if postings.block_count * BLOCK < layout.docs:
            raise ValueError("there are documents without postings")
        self.eligible = eligible
        if eligible is not None:
            self.eligible_view = eligible
            if self.eligible_view.shape[0] != layout.docs:
                raise ValueError("eligible must have one byte a document")
        # postings may name any document of the last block: room for whole blocks keeps a damaged one harmless
        self.scores = <float*>PyMem_RawCalloc((postings.block_count + 1) * BLOCK, sizeof(float))
        self.message_best = <float*>PyMem_RawCalloc(layout.messages + 1, sizeof(float))
        self.session_sum = <float*>PyMem_RawCalloc(layout.sessions + 1, sizeof(float))
        self.session_title = <float*>PyMem_RawCalloc(layout.sessions + 1, sizeof(float))
        if self.session_title == NULL or self.scores == NULL or self.message_best == NULL or self.session_sum == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.scores)
        PyMem_RawFree(self.message_best)
        PyMem_RawFree(self.session_sum)
        PyMem_RawFree(self.session_title)
        PyMem_RawFree(self.hits)

    def accumulate(self, const uint32_t[::1] starts not None, const uint32_t[::1] firsts not None,
                   const uint32_t[::1] lasts not None, const float[::1] weights not None,
                   const float[::1] factors not None, const uint8_t[::1] joint not None, float k1,
                   const float[:, ::1] norms not None, const float[::1] class_weights not None, int64_t deadline_ns=0):
        """Add every group's evidence, newest block first; False when the deadline came before the last block.

        Group g has the members starts[g]:starts[g + 1]; a member is the terms [first, last) with one weight.
        factors f32[groups] holds IDF times boost; joint u8[groups] is 1 where a document must also hold the
        group before (two halves of a word), whose own factor is then 0; norms f32[64, 1024] is k1-scaled length
        normalisation by class and words; class_weights f32[64]. BM25 (Robertson and Zaragoza 2009) with
        tf = sum over members of weight * frequency. deadline_ns is a time.monotonic_ns(), 0 for none.
        """
        cdef Py_ssize_t groups = factors.shape[0], members = firsts.shape[0], k
        cdef const Worth* worth
        cdef bint done
        if (joint.shape[0] != groups or starts.shape[0] != groups + 1 or lasts.shape[0] != members
                or weights.shape[0] != members):
            raise ValueError("the groups do not fit together")
        if norms.shape[0] != CLASSES or norms.shape[1] != LONGEST or class_weights.shape[0] != CLASSES:
            raise ValueError("norms must be 64 x 1024 and class_weights 64")
        if groups and (starts[0] != 0 or starts[groups] != members):
            raise ValueError("the groups do not fit together")
        for k in range(groups):
            if starts[k] > starts[k + 1]:
                raise ValueError("the groups are out of order")
            if joint[k] and (k == 0 or joint[k - 1]):
                raise ValueError(f"group {k} is joint, but there is no single group before it")
        for k in range(members):
            if firsts[k] > lasts[k] or lasts[k] > self.postings.term_count:
                raise ValueError("a member names terms that do not exist")
            if not weights[k] >= 0:
                raise ValueError(f"weights must not be negative, not {weights[k]}")
        worths = self.layout.worths(norms, class_weights)
        worth = <const Worth*>PyByteArray_AS_STRING(worths)
        with nogil:
            done = self.run(groups, &starts[0], &firsts[0] if members else NULL, &lasts[0] if members else NULL,
                            &weights[0] if members else NULL, &factors[0] if groups else NULL,
                            &joint[0] if groups else NULL, k1, worth, deadline_ns)
        return done

    cdef bint run(self, Py_ssize_t groups, const uint32_t* starts, const uint32_t* firsts, const uint32_t* lasts,
                  const float* weights, const float* factors, const uint8_t* joint, float k1, const Worth* worths,
                  int64_t deadline) noexcept nogil:
        cdef Py_ssize_t block, group, member, count, k, base, limit
        cdef uint64_t entry, at, end
        cdef uint64_t work = 0
        cdef float weight, tf, factor
        cdef uint16_t doc
        cdef const Worth* worth
        cdef const uint8_t* mask
        cdef const uint16_t* docs = self.postings.docs
        cdef const uint8_t* tfs = self.postings.tfs
        cdef float* scores
        cdef float* tf_of = <float*>PyMem_RawCalloc(BLOCK, sizeof(float))
        cdef float* tf_before = NULL
        cdef float* spare
        cdef uint16_t* touched_before = NULL
        cdef uint16_t* other
        cdef Py_ssize_t count_before
        cdef uint16_t* touched = <uint16_t*>PyMem_RawMalloc((BLOCK + 1) * sizeof(uint16_t))
        cdef bint done = True, any_joint = False
        for group in range(groups):
            any_joint = any_joint or joint[group]
        if any_joint:
            tf_before = <float*>PyMem_RawCalloc(BLOCK, sizeof(float))
            touched_before = <uint16_t*>PyMem_RawMalloc((BLOCK + 1) * sizeof(uint16_t))
        if tf_of == NULL or touched == NULL or any_joint and (tf_before == NULL or touched_before == NULL):
            PyMem_RawFree(tf_of)
            PyMem_RawFree(touched)
            PyMem_RawFree(tf_before)
            PyMem_RawFree(touched_before)
            return False
        for block in range(self.postings.block_count):
            base = block * BLOCK
            limit = self.layout.docs - base
            if deadline and rr_now() >= deadline:
                done = False
                break
            scores = self.scores + base
            worth = worths + base
            mask = &self.eligible_view[base] if self.eligible is not None and limit > 0 else NULL
            count_before = 0
            for group in range(groups):
                if (starts[group + 1] - starts[group] == 1 and lasts[starts[group]] - firsts[starts[group]] == 1
                        and not joint[group] and not (group + 1 < groups and joint[group + 1])):
                    # one term: every posting is a document by itself
                    entry = self.postings.locate(block, firsts[starts[group]])
                    if entry < self.postings.starts[block + 1] and self.postings.terms[entry] == firsts[starts[group]]:
                        work += self.postings.pointers[entry + 1] - self.postings.pointers[entry]
                        self.add_term(base, limit, mask, self.postings.pointers[entry],
                                      self.postings.pointers[entry + 1], weights[starts[group]],
                                      factors[group] * (k1 + 1), worth)
                    if deadline and work > PACE:
                        work = 0
                        if rr_now() >= deadline:
                            done = False
                            break
                    continue
                count = 0
                for member in range(starts[group], starts[group + 1]):
                    weight = weights[member]
                    entry = self.postings.locate(block, firsts[member])
                    while entry < self.postings.starts[block + 1] and self.postings.terms[entry] < lasts[member]:
                        at = self.postings.pointers[entry]
                        end = self.postings.pointers[entry + 1]
                        work += end - at
                        while at < end:
                            doc = docs[at]
                            if doc < limit and (mask == NULL or mask[doc]):
                                touched[count] = doc  # no branch: whether it is new is anyone's guess
                                # a weight of 0 touches again and again
                                count += (tf_of[doc] == 0) & (count < BLOCK)
                                tf_of[doc] += weight * tfs[at]
                            at += 1
                        entry += 1
                factor = factors[group] * (k1 + 1)
                if group + 1 < groups and joint[group + 1]:
                    # the first half waits for the second
                    spare = tf_before
                    tf_before = tf_of
                    tf_of = spare
                    other = touched_before
                    touched_before = touched
                    touched = other
                    count_before = count
                    continue
                for k in range(count):
                    doc = touched[k]
                    tf = tf_of[doc]
                    tf_of[doc] = 0
                    if joint[group]:
                        if tf_before[doc] < tf:
                            tf = tf_before[doc]
                        if tf == 0:
                            continue
                    scores[doc] += worth[doc].weight * factor * tf / (tf + worth[doc].norm)
                for k in range(count_before):
                    tf_before[touched_before[k]] = 0
                count_before = 0
                if deadline and work > PACE:
                    work = 0
                    if rr_now() >= deadline:
                        done = False
                        break
            if not done:
                # a block is all or nothing: its documents count as not reached
                for k in range(BLOCK):
                    scores[k] = 0
                break
            self.blocks_done = block + 1
            self.docs_done = base + (limit if limit < BLOCK else BLOCK)
        PyMem_RawFree(tf_of)
        PyMem_RawFree(touched)
        PyMem_RawFree(tf_before)
        PyMem_RawFree(touched_before)
        return done

    cdef void add_term(self, Py_ssize_t base, Py_ssize_t limit, const uint8_t* mask, uint64_t at, uint64_t end,
                       float weight, float factor, const Worth* worth) noexcept nogil:
        """Add one term's evidence to the documents of the block that begins at `base`."""
        cdef const uint16_t* docs = self.postings.docs
        cdef const uint8_t* tfs = self.postings.tfs
        cdef float* scores = self.scores + base
        cdef uint16_t doc
        cdef float tf
        while at < end:
            doc = docs[at]
            if doc < limit and (mask == NULL or mask[doc]):
                tf = weight * tfs[at]
                if tf > 0:
                    scores[doc] += worth[doc].weight * factor * tf / (tf + worth[doc].norm)
            at += 1

    def add_times(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, float value):
        """Add `value` to every document with evidence whose message's time is in one of [starts[k], ends[k])."""
        cdef Py_ssize_t doc, k, ranges = starts.shape[0]
        cdef int64_t time
        if ends.shape[0] != ranges:
            raise ValueError("starts and ends differ in length")
        with nogil:
            for doc in range(self.docs_done):
                if self.scores[doc] == 0:
                    continue
                time = self.layout.message_time[self.layout.part_message[self.layout.doc_part[doc]]]
                for k in range(ranges):
                    if starts[k] <= time < ends[k]:
                        self.scores[doc] += value
                        break

    def fuse(self, const float[::1] neighbours not None, const float[::1] session not None, only=None, float echo=0,
             float echo_floor=0):
        """Collect the hit parts and add what their neighbours and session say; the number of hits.

        neighbours f32[8]: weights of the message one before, one behind, two before, two behind, first for a
        user's log with an agent, then for a talk between people. session f32[4]: weight of the L3 norm of the
        session's messages, likewise, then of its title's evidence. `only` u8[parts] keeps some parts, None all.
        A question that was asked before is answered by what followed it: `echo` times what the evidence of the
        message that an agent's prose answers has above `echo_floor`.
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* keep = NULL
        if neighbours.shape[0] != 8 or session.shape[0] != 4:
            raise ValueError("neighbours must be 8 weights and session 4")
        if only is not None:
            view = only
            if view.shape[0] != self.layout.parts:
                raise ValueError("only must have one byte a part")
            if self.layout.parts:
                keep = &view[0]
        if self.tiers:
            raise ValueError("fuse() runs once")
        self.tiers = 1
        with nogil:
            if not self.collect():
                with gil:
                    raise MemoryError
            self.spread(&neighbours[0], &session[0], keep, echo, echo_floor)
        return self.hit_count

    cdef bint has_room(self, Py_ssize_t count) noexcept nogil:
        """Whether one Hit more fits behind `count` of them."""
        cdef Py_ssize_t wanted
        cdef void* grown
        if count < self.room:
            return True
        wanted = count * 2 + 1024
        grown = PyMem_RawRealloc(self.hits, wanted * sizeof(Hit))
        if grown == NULL:
            return False
        self.hits = <Hit*>grown
        self.room = wanted
        return True

    cdef bint collect(self) noexcept nogil:
        """One Hit a part with evidence, its best passage in it; the best of each message and each session's sum."""
        cdef Py_ssize_t doc, k, found = 0, count = 0
        cdef uint32_t part, message, before = 0
        cdef float value
        cdef Hit* hit = NULL
        cdef const float* scores = self.scores
        cdef const uint32_t* bits = <const uint32_t*>scores  # a whole number is compared with 0 in one step
        # columns as plain addresses: no write below can move them
        cdef const uint32_t* part_of = column32(self.layout.doc_part)
        cdef const uint8_t* class_of = column8(self.layout.doc_class)
        cdef const uint32_t* message_of = column32(self.layout.part_message)
        cdef const uint32_t* session_of = column32(self.layout.message_session)
        cdef uint32_t* held = <uint32_t*>PyMem_RawMalloc((self.docs_done + 1) * sizeof(uint32_t))
        if held == NULL:
            return False
        # hits are scattered, and no processor guesses where: first gather them without a branch
        for doc in range(self.docs_done):
            held[found] = doc
            found += bits[doc] != 0
        if not self.has_room(found):
            PyMem_RawFree(held)
            return False
        for k in range(found):
            doc = held[k]
            part = part_of[doc]
            value = scores[doc]
            if count == 0 or part != before:
                before = part
                hit = self.hits + count
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
                if hit.base > self.session_title[session_of[message]]:
                    self.session_title[session_of[message]] = hit.base
            elif value > self.message_best[message]:
                self.message_best[message] = value
        PyMem_RawFree(held)
        self.hit_count = count
        return True

    cdef void spread(self, const float* neighbours, const float* session, const uint8_t* keep, float echo,
                     float echo_floor) noexcept nogil:
        cdef Py_ssize_t k, kept = 0
        cdef uint32_t message, place, before = 0xFFFFFFFFU
        cdef int step, talk
        cdef Py_ssize_t other
        cdef float score, best, around
        cdef int[4] steps = [-1, 1, -2, 2]
        cdef const uint8_t* class_of = column8(self.layout.doc_class)
        cdef const uint32_t* message_of = column32(self.layout.part_message)
        cdef const uint32_t* session_of = column32(self.layout.message_session)
        cdef const uint32_t* asked_of = column32(self.layout.message_asked) if self.layout.has_asked else NULL
        cdef const uint8_t* talks = column8(self.layout.session_talk)
        cdef Py_ssize_t messages = self.layout.messages
        cdef Hit* hits = self.hits
        for k in range(self.hit_count):
            message = message_of[hits[k].part]
            if message != before:
                best = self.message_best[message]
                self.session_sum[session_of[message]] += best * best * best
                before = message
        for k in range(self.layout.sessions):
            if self.session_sum[k] > 0:
                self.session_sum[k] = cbrtf(self.session_sum[k])
        for k in range(self.hit_count):
            if keep != NULL and not keep[hits[k].part]:
                continue
            message = message_of[hits[k].part]
            place = session_of[message]
            talk = 1 if talks[place] else 0
            around = session[talk] * self.session_sum[place]
            for step in range(4):
                other = <Py_ssize_t>message + steps[step]
                if 0 <= other < messages and session_of[other] == place:
                    around += neighbours[talk * 4 + step] * self.message_best[other]
            score = hits[k].base + around
            if class_of[hits[k].doc] != TITLE:
                score += session[2 + talk] * self.session_title[place]
            if echo > 0 and asked_of != NULL:
                best = self.message_best[asked_of[message]] - echo_floor
                best = best if best > 0 else 0
                score += echo * best * ((asked_of[message] != message) & (class_of[hits[k].doc] == ASSISTANT))
            hits[kept] = hits[k]
            hits[kept].score = score
            kept += 1
        self.hit_count = kept

    def extend(self, Evidence other not None, float share):
        """Let the hits of `other` that are no hits yet follow as a tier of their own, with `share` of their scores."""
        cdef Py_ssize_t k
        cdef Hit* hit
        cdef unsigned char[::1] known
        if other.layout is not self.layout or other is self:
            raise ValueError("the other evidence is not of the same layout")
        known = bytearray(self.layout.parts)
        self.mark_hits(known)
        for k in range(other.hit_count):
            if known[other.hits[k].part]:
                continue
            if not self.has_room(self.hit_count):
                raise MemoryError
            hit = self.hits + self.hit_count
            hit[0] = other.hits[k]
            hit.score *= share
            hit.base *= share
            hit.tier = self.tiers
            self.hit_count += 1
        self.tiers += 1

    def extend_marked(self, const unsigned char[::1] parts not None, const uint32_t[::1] first_docs not None):
        """Let the parts of parts u8[parts] that are no hits yet follow as a tier of their own, without any score.

        first_docs u32[parts + 1] are the parts' first documents.
        """
        cdef Py_ssize_t part
        cdef Hit* hit
        cdef unsigned char[::1] known
        if parts.shape[0] != self.layout.parts or first_docs.shape[0] != self.layout.parts + 1:
            raise ValueError("parts must have one byte a part, first_docs one number more")
        known = bytearray(self.layout.parts)
        self.mark_hits(known)
        for part in range(self.layout.parts):
            if not parts[part] or known[part]:
                continue
            if first_docs[part] >= self.layout.docs:
                raise ValueError(f"part {part} has no document")
            if not self.has_room(self.hit_count):
                raise MemoryError
            hit = self.hits + self.hit_count
            hit.part = part
            hit.doc = first_docs[part]
            hit.score = hit.base = 0
            hit.tier = self.tiers
            self.hit_count += 1
        self.tiers += 1

    def top(self, Py_ssize_t count):
        """The `count` best hits, best first: (part, best document, score, the part's own evidence, tier).

        May be called again with a larger count: the hits are reordered, never lost.
        """
        cdef Py_ssize_t k
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        if count > self.hit_count:
            count = self.hit_count
        if count == 0:
            return []
        with nogil:
            best_first(self.hits, self.hit_count, count, self.layout)
        return [
            (self.hits[k].part, self.hits[k].doc, self.hits[k].score, self.hits[k].base, self.hits[k].tier)
            for k in range(count)
        ]

    def among(self, const unsigned char[::1] parts not None):
        """The hits of the marked parts u8[parts], as top() tells them, in the order of the segment. O(hits)."""
        cdef Py_ssize_t k
        if parts.shape[0] != self.layout.parts:
            raise ValueError("parts must have one byte a part")
        found = [
            (self.hits[k].part, self.hits[k].doc, self.hits[k].score, self.hits[k].base, self.hits[k].tier)
            for k in range(self.hit_count) if parts[self.hits[k].part]
        ]
        found.sort()
        return found

    def sessions(self):
        """The sessions that have hits, best first: (session, part, document, score, hits, title, tier).

        part is the best content part, or the title's where only the title is a hit; score and tier are those of the
        best hit of the session, title or not; `title` says whether the title is a hit.
        """
        cdef Py_ssize_t k
        cdef SessionHits* rows = <SessionHits*>PyMem_RawCalloc(self.layout.sessions + 1, sizeof(SessionHits))
        if rows == NULL:
            raise MemoryError
        try:
            with nogil:
                for k in range(self.hit_count):
                    add_hit(rows, self.hits + k, self.layout)
            found = [
                (k, rows[k].shown.part, rows[k].shown.doc, rows[k].best.score, rows[k].count, rows[k].title != 0,
                 rows[k].best.tier)
                for k in range(self.layout.sessions) if rows[k].count
            ]
        finally:
            PyMem_RawFree(rows)
        found.sort(key=by_score)
        return found

    def session_evidence(self, Py_ssize_t session):
        """The L3 norm of the session's messages."""
        if not 0 <= session < self.layout.sessions:
            raise IndexError(session)
        return self.session_sum[session]

    def mark_hits(self, unsigned char[::1] parts not None):
        """Set parts[p] to 1 for every hit part p."""
        cdef Py_ssize_t k
        if parts.shape[0] != self.layout.parts:
            raise ValueError("parts must have one byte a part")
        for k in range(self.hit_count):
            parts[self.hits[k].part] = 1

    def write_scores(self, float[::1] scores not None):
        """Write each hit part's fused score into scores f32[parts]; other parts are left alone."""
        cdef Py_ssize_t k
        if scores.shape[0] != self.layout.parts:
            raise ValueError("scores must have one float a part")
        for k in range(self.hit_count):
            scores[self.hits[k].part] = self.hits[k].score


def by_score(row):
    return row[6], -row[3], row[0]


def idf(double documents, double frequency):
    """ln(1 + (N - n + .5) / (n + .5)): BM25's inverse document frequency, never negative."""
    return logf(1 + (documents - frequency + 0.5) / (frequency + 0.5))

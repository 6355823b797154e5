"""The evidence of a query over a whole segment, and the hits it makes: accumulated, fused, told best first."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc
from libc.math cimport logf
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy

from recall_rank._core.accumulate cimport (BLOCK, Groups, Held, accumulate_blocks, release_documents,
                                           room_for_documents)
from recall_rank._core.fuse cimport Around, Run, Shares, add_around, fold, keep_only
from recall_rank._core.hits cimport Hit, SessionHits, add_hit, best_first, has_room
from recall_rank._core.layout cimport CLASSES, LONGEST, TALKS, Layout, Worth
from recall_rank._core.postings cimport Postings
from recall_rank._core.reach cimport Found, can_bound, reach


cdef class Evidence:
    """The evidence of one query over one segment. Not shared between threads; columns and postings are."""

    cdef Layout layout
    cdef Postings postings
    cdef object eligible
    cdef const uint8_t[::1] eligible_view
    cdef Held held                # documents; after fuse() the best passages of parts
    cdef bint accumulated
    cdef Run* runs                # of what is held
    cdef Py_ssize_t run_count
    cdef Around around
    cdef Shares shares
    cdef Found best               # what top() found without all the others
    cdef bint scored              # all hits are in `hits`
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
        self.around.message_best = <float*>PyMem_RawCalloc(layout.messages + 1, sizeof(float))
        self.around.session_sum = <float*>PyMem_RawCalloc(layout.sessions + 1, sizeof(float))
        self.around.session_title = <float*>PyMem_RawCalloc(layout.sessions + 1, sizeof(float))
        if (self.around.message_best == NULL or self.around.session_sum == NULL
                or self.around.session_title == NULL):
            raise MemoryError

    def __dealloc__(self):
        release_documents(&self.held)
        PyMem_RawFree(self.runs)
        PyMem_RawFree(self.best.hits)
        PyMem_RawFree(self.around.message_best)
        PyMem_RawFree(self.around.session_sum)
        PyMem_RawFree(self.around.session_title)
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
        cdef Py_ssize_t count = factors.shape[0], members = firsts.shape[0], done, k
        cdef const uint8_t* eligible = NULL
        cdef const uint16_t* shape
        cdef Groups groups
        if (joint.shape[0] != count or starts.shape[0] != count + 1 or lasts.shape[0] != members
                or weights.shape[0] != members):
            raise ValueError("the groups do not fit together")
        if norms.shape[0] != CLASSES or norms.shape[1] != LONGEST or class_weights.shape[0] != CLASSES:
            raise ValueError("norms must be 64 x 1024 and class_weights 64")
        if count and (starts[0] != 0 or starts[count] != members):
            raise ValueError("the groups do not fit together")
        for k in range(count):
            if starts[k] > starts[k + 1]:
                raise ValueError("the groups are out of order")
            if joint[k] and (k == 0 or joint[k - 1]):
                raise ValueError(f"group {k} is joint, but there is no single group before it")
        for k in range(members):
            if firsts[k] > lasts[k] or lasts[k] > self.postings.term_count:
                raise ValueError("a member names terms that do not exist")
            if not weights[k] >= 0:
                raise ValueError(f"weights must not be negative, not {weights[k]}")
        if self.accumulated:
            raise ValueError("accumulate() runs once")
        self.accumulated = True
        if not room_for_documents(&self.held, self.layout.docs):
            raise MemoryError
        worths = self.layout.worths(norms, class_weights)
        groups.worths = <const Worth*>PyByteArray_AS_STRING(worths)
        shapes = self.layout.doc_shapes()
        shape = <const uint16_t*>PyByteArray_AS_STRING(shapes)
        groups.count = count
        groups.starts = &starts[0]
        groups.firsts = &firsts[0] if members else NULL
        groups.lasts = &lasts[0] if members else NULL
        groups.weights = &weights[0] if members else NULL
        groups.factors = &factors[0] if count else NULL
        groups.joint = &joint[0] if count else NULL
        groups.k1 = k1
        if self.eligible is not None and self.layout.docs:
            eligible = &self.eligible_view[0]
        with nogil:
            done = accumulate_blocks(self.postings, &groups, shape, eligible, self.layout.docs, &self.held,
                                     deadline_ns)
        if done < 0:
            raise MemoryError
        self.blocks_done = done
        self.docs_done = min(self.layout.docs, done * BLOCK)
        return done == self.postings.block_count

    def add_times(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, float value):
        """Add `value` to every document with evidence whose message's time is in one of [starts[k], ends[k])."""
        cdef Py_ssize_t at, k, ranges = starts.shape[0]
        cdef int64_t time
        if ends.shape[0] != ranges:
            raise ValueError("starts and ends differ in length")
        if self.tiers:
            raise ValueError("times come before fuse()")
        with nogil:
            for at in range(self.held.count):
                time = self.layout.message_time[self.layout.part_message[self.layout.doc_part[self.held.docs[at]]]]
                for k in range(ranges):
                    if starts[k] <= time < ends[k]:
                        self.held.scores[at] += value
                        break

    def fuse(self, const float[::1] neighbours not None, const float[::1] session not None, only=None, float echo=0,
             float echo_floor=0):
        """Collect the hit parts and add what their neighbours and session say; the number of hits.

        neighbours f32[12]: weights of the message one before, one behind, two before, two behind, for an agent at
        work, for a talk between people and for an agent that only talks. session f32[4]: weight of the L3 norm of
        the session's messages with an agent and between people, then of its title's evidence. `only` u8[parts]
        keeps some parts, None all.
        A question that was asked before is answered by what followed it: `echo` times what the evidence of the
        message that an agent's prose answers has above `echo_floor`.
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* keep = NULL
        cdef const uint32_t* place
        cdef Py_ssize_t k, most
        if neighbours.shape[0] != 4 * TALKS or session.shape[0] != 4:
            raise ValueError("neighbours must be 12 weights and session 4")
        if only is not None:
            view = only
            if view.shape[0] != self.layout.parts:
                raise ValueError("only must have one byte a part")
            if self.layout.parts:
                keep = &view[0]
        if self.tiers:
            raise ValueError("fuse() runs once")
        self.tiers = 1
        for k in range(4 * TALKS):
            self.shares.neighbours[k] = neighbours[k]
        for k in range(4):
            self.shares.session[k] = session[k]
        self.shares.echo = echo
        self.shares.echo_floor = echo_floor
        most = self.held.count
        if self.layout.ordered and self.layout.sessions < most:
            most = self.layout.sessions
        self.runs = <Run*>PyMem_RawMalloc((most + 1) * sizeof(Run))
        if self.runs == NULL:
            raise MemoryError
        places = self.layout.doc_places()
        place = <const uint32_t*>PyByteArray_AS_STRING(places)
        with nogil:
            self.run_count = fold(&self.held, self.layout, place, &self.around, self.runs)
            if keep != NULL:
                self.run_count = keep_only(&self.held, self.layout, keep, self.runs, self.run_count)
        self.hit_count = self.held.count
        return self.hit_count

    cdef int score_all(self) except -1:
        """Make a Hit of everything that is held, where that has not been done: top() may come along without."""
        cdef Py_ssize_t k
        if self.scored:
            return 0
        if not has_room(&self.hits, &self.room, self.held.count + 1):
            raise MemoryError
        with nogil:
            for k in range(self.run_count):
                add_around(&self.held, self.runs + k, self.layout, &self.around, &self.shares,
                           self.hits + self.runs[k].first)
        self.scored = True
        return 0

    def extend(self, Evidence other not None, float share):
        """Let the hits of `other` that are no hits yet follow as a tier of their own, with `share` of their scores."""
        cdef Py_ssize_t k
        cdef Hit* hit
        cdef unsigned char[::1] known
        if other.layout is not self.layout or other is self:
            raise ValueError("the other evidence is not of the same layout")
        self.score_all()
        other.score_all()
        known = bytearray(self.layout.parts)
        self.mark_hits(known)
        for k in range(other.hit_count):
            if known[other.hits[k].part]:
                continue
            if not has_room(&self.hits, &self.room, self.hit_count + 1):
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
        cdef Py_ssize_t part = 0
        cdef uint64_t eight
        cdef Hit* hit
        cdef unsigned char[::1] known
        if parts.shape[0] != self.layout.parts or first_docs.shape[0] != self.layout.parts + 1:
            raise ValueError("parts must have one byte a part, first_docs one number more")
        self.score_all()
        known = bytearray(self.layout.parts)
        self.mark_hits(known)
        while part < self.layout.parts:
            if part + 8 <= self.layout.parts:  # few are marked
                memcpy(&eight, &parts[part], 8)
                if eight == 0:
                    part += 8
                    continue
            if parts[part] and not known[part]:
                if first_docs[part] >= self.layout.docs:
                    raise ValueError(f"part {part} has no document")
                if not has_room(&self.hits, &self.room, self.hit_count + 1):
                    raise MemoryError
                hit = self.hits + self.hit_count
                hit.part = part
                hit.doc = first_docs[part]
                hit.score = hit.base = 0
                hit.tier = self.tiers
                self.hit_count += 1
            part += 1
        self.tiers += 1

    def top(self, Py_ssize_t count):
        """The `count` best hits, best first: (part, best document, score, the part's own evidence, tier).

        May be called again with a larger count: the hits are reordered, never lost.
        """
        cdef Py_ssize_t k
        cdef bint good
        cdef Hit* hits
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        if count > self.hit_count:
            count = self.hit_count
        if count == 0:
            return []
        if not self.scored and count < self.hit_count and can_bound(&self.shares, self.layout):
            with nogil:
                good = reach(&self.held, self.runs, self.run_count, self.layout, &self.around, &self.shares, count,
                             &self.best)
                if good:
                    best_first(self.best.hits, self.best.count, count, self.layout)
            if not good:
                raise MemoryError
            hits = self.best.hits
        else:
            self.score_all()
            hits = self.hits
            with nogil:
                best_first(hits, self.hit_count, count, self.layout)
        return [(hits[k].part, hits[k].doc, hits[k].score, hits[k].base, hits[k].tier) for k in range(count)]

    def among(self, const unsigned char[::1] parts not None):
        """The hits of the marked parts u8[parts], as top() tells them, in the order of the segment. O(hits)."""
        cdef Py_ssize_t k
        if parts.shape[0] != self.layout.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
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
        cdef SessionHits* rows
        self.score_all()
        rows = <SessionHits*>PyMem_RawCalloc(self.layout.sessions + 1, sizeof(SessionHits))
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
        return self.around.session_sum[session]

    def mark_hits(self, unsigned char[::1] parts not None):
        """Set parts[p] to 1 for every hit part p."""
        cdef Py_ssize_t k
        if parts.shape[0] != self.layout.parts:
            raise ValueError("parts must have one byte a part")
        self.score_all()
        for k in range(self.hit_count):
            parts[self.hits[k].part] = 1

    def write_scores(self, float[::1] scores not None):
        """Write each hit part's fused score into scores f32[parts]; other parts are left alone."""
        cdef Py_ssize_t k
        if scores.shape[0] != self.layout.parts:
            raise ValueError("scores must have one float a part")
        self.score_all()
        for k in range(self.hit_count):
            scores[self.hits[k].part] = self.hits[k].score


def by_score(row):
    return row[6], -row[3], row[0]


def idf(double documents, double frequency):
    """ln(1 + (N - n + .5) / (n + .5)): BM25's inverse document frequency, never negative."""
    return logf(1 + (documents - frequency + 0.5) / (frequency + 0.5))

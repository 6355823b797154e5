"""The evidence of several segments in one go: the interpreter's lock is let go once, however many there are."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawMalloc
from libc.stdint cimport int64_t

from recall_rank._core.search.doc_scores cimport AFTERWARDS, Work, release_work, room_for_work
from recall_rank._core.search.evidence cimport Evidence
from recall_rank._core.search.compiled_query cimport CompiledQuery
from recall_rank._core.search.hits cimport Hit
from recall_rank._core.search.top_k cimport Threshold, release_least, room_for_least

cdef struct Place:     # of a segment among the others
    void* evidence     # an Evidence, which `each` holds
    const Hit* hits    # the best of it
    Py_ssize_t found


cdef class Together:
    """The evidence of one query over some segments, whose terms are numbered on from one to the next."""

    cdef tuple each
    cdef Place* places
    cdef Py_ssize_t count

    def __cinit__(self, each):
        cdef Py_ssize_t k
        self.each = tuple(each)
        self.count = len(self.each)
        self.places = <Place*>PyMem_RawMalloc((self.count + 1) * sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        for k in range(self.count):
            self.places[k].evidence = <void*><Evidence?>self.each[k]

    def __dealloc__(self):
        PyMem_RawFree(self.places)

    def ask(self, CompiledQuery question not None):
        """What Evidence.accumulate() is asked; read() does it."""
        cdef Evidence evidence
        cdef Py_ssize_t terms = 0
        if question.term_count > sum([(<Evidence>evidence).postings.term_count for evidence in self.each]):
            raise ValueError("a member names terms that do not exist")
        for evidence in self.each:
            evidence.ask(question, terms, terms + evidence.postings.term_count)
            terms += evidence.postings.term_count

    def read(self, Py_ssize_t first, Py_ssize_t last, int64_t deadline_ns=0):
        """Weigh the documents of the segments [first, last) in turn; False when the deadline came before the end.

        Different segments may be read at the same time.
        """
        cdef Py_ssize_t k, held = 0
        cdef int64_t ends = deadline_ns
        cdef Evidence evidence
        cdef Work work
        cdef bint whole = True
        if not 0 <= first <= last <= self.count:
            raise IndexError((first, last))
        for evidence in self.each[first:last]:
            if evidence.question is None:
                raise ValueError("nothing was asked")
        if not room_for_work(&work):
            raise MemoryError
        with nogil:
            for k in range(first, last):
                whole = whole and (<Evidence>self.places[k].evidence).read(&work, ends)
                held = (<Evidence>self.places[k].evidence).held.count
                ends = ends - held * AFTERWARDS if ends else 0
        release_work(&work)
        return whole

    def fuse(self, neighbours not None, session not None, only not None, float echo=0, float echo_floor=0):
        """As Evidence.fuse() of each segment, `only` being one for each; the number of hits of all."""
        cdef Evidence evidence
        cdef Py_ssize_t k
        if len(only) != self.count:
            raise ValueError(f"{self.count} segments, but marks of {len(only)}")
        for evidence, marks in zip(self.each, only):
            evidence.begin_to_fuse(neighbours, session, marks, echo, echo_floor)
        with nogil:
            for k in range(self.count):
                (<Evidence>self.places[k].evidence).gather()
        return sum([(<Evidence>evidence).hit_count for evidence in self.each])

    def top(self, Py_ssize_t count):
        """What Evidence.top() tells of each segment, its number first; together they hold the `count` best of all.

        Of each segment the best stand first; what many others are above need not be there.
        """
        cdef Evidence evidence
        cdef Py_ssize_t k, number, total = 0
        cdef bint good = True
        cdef Threshold least
        cdef const Hit* hit
        if count < 0:
            raise ValueError(f"count must not be negative, not {count}")
        for evidence in self.each:
            total += evidence.hit_count
        count = min(count, total)
        if count == 0:
            return []
        for evidence in self.each:
            evidence.begin_to_look(count)
        if not room_for_least(&least, count):
            raise MemoryError
        with nogil:
            for k in range(self.count):
                good = good and (<Evidence>self.places[k].evidence).look(&least)
            for k in range(self.count if good else 0):
                self.places[k].hits = (<Evidence>self.places[k].evidence).first(&least, &self.places[k].found)
        release_least(&least)
        if not good:
            raise MemoryError
        best = []
        for number in range(self.count):
            for k in range(self.places[number].found):
                hit = self.places[number].hits + k
                best.append((number, hit.part, hit.doc, hit.score, hit.base, hit.tier))
        return best

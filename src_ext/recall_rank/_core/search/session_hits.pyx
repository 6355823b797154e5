"""SessionHits: the sessions with hits of a search. A search may find very many, of which it shows a page."""

from collections import namedtuple

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport qsort

# A session with hits: `part` and `doc` of its best content, or of its title when only the title is a hit; `score` and
# `tier` of its best hit, title or not; the number of hits; whether the title is a hit.
SessionHit = namedtuple("SessionHit", ("session", "part", "doc", "score", "hits", "title", "tier"))

cdef object new_row = tuple.__new__


cdef int ranks_before(const void* a, const void* b) noexcept nogil:
    """Compare two rows for qsort(): by lower tier, higher score, lower session number."""
    cdef const SessionRow* one = <const SessionRow*>a
    cdef const SessionRow* other = <const SessionRow*>b
    if one.tier != other.tier:
        return -1 if one.tier < other.tier else 1
    if one.score != other.score:
        return -1 if one.score > other.score else 1
    return -1 if one.session < other.session else one.session > other.session


cdef class SessionHits:
    """An immutable sequence of SessionHit records, best first: by lower tier, higher score, lower session number.

    A record is made when it is asked for. `rows` are records of different sessions, in any order.
    """

    def __init__(self, rows=()):
        rows = list(rows)
        self.reserve(len(rows))
        for session, part, doc, score, hits, title, tier in rows:
            self.rows[self.count] = SessionRow(score, session, part, doc, hits, title, tier)
            self.count += 1
        self.finish()

    cdef int reserve(self, Py_ssize_t room) except -1:
        """Allocate room for rows, which the caller writes and counts before finish(); once for each object."""
        if self.rows != NULL:
            raise ValueError("session hits are made once")
        self.rows = <SessionRow*>PyMem_Calloc(room + 1, sizeof(SessionRow))
        if self.rows == NULL:
            raise MemoryError
        return 0

    cdef int finish(self) except -1:
        """Put the rows in their order, and note the place of each session."""
        cdef Py_ssize_t k
        for k in range(self.count):
            self.places_size = max(self.places_size, <Py_ssize_t>self.rows[k].session + 1)
        self.places = <uint32_t*>PyMem_Calloc(self.places_size + 1, sizeof(uint32_t))
        if self.places == NULL:
            raise MemoryError
        with nogil:
            qsort(self.rows, self.count, sizeof(SessionRow), ranks_before)
            for k in range(self.count):
                self.places[self.rows[k].session] = k + 1
        return 0

    def __dealloc__(self):
        PyMem_Free(self.rows)
        PyMem_Free(self.places)

    cdef const SessionRow* row_of(self, Py_ssize_t session) noexcept nogil:
        """Return the row of a session, NULL for one without hits."""
        if not 0 <= session < self.places_size or self.places[session] == 0:
            return NULL
        return self.rows + self.places[session] - 1

    cdef object record(self, const SessionRow* row):
        return new_row(SessionHit, (row.session, row.part, row.doc, row.score, row.hits, row.title != 0, row.tier))

    def __len__(self):
        return self.count

    def __getitem__(self, at):
        cdef Py_ssize_t k
        if isinstance(at, slice):
            return [self.record(self.rows + k) for k in range(*at.indices(self.count))]
        k = at
        if not 0 <= k < self.count:
            raise IndexError(at)
        return self.record(self.rows + k)

    def __iter__(self):
        return map(self.__getitem__, range(self.count))

    def hits_of(self, Py_ssize_t session):
        """Return the number of hits of a session, 0 for one without hits."""
        cdef const SessionRow* row = self.row_of(session)
        return 0 if row == NULL else row.hits

    def has_title(self, Py_ssize_t session):
        """Return whether the title of a session is a hit."""
        cdef const SessionRow* row = self.row_of(session)
        return row != NULL and row.title != 0

    def by_number(self, Py_ssize_t first, Py_ssize_t last):
        """Return the records [first, last) in the order of session numbers, which is that of time. O(sessions)."""
        cdef Py_ssize_t session, at = 0
        found = []
        for session in range(self.places_size):
            if at >= last:
                break
            if self.places[session]:
                if at >= first:
                    found.append(self.record(self.rows + self.places[session] - 1))
                at += 1
        return found

    def hits_by_number(self, Py_ssize_t first, Py_ssize_t last, Py_ssize_t most):
        """Return where the hits [first, last) of a search are, its sessions in the order of their numbers: a list of
        (session, low, high), which stands for the hits [low, high) of that session.

        The first `most` hits of every session come before any further one. A session may come twice. O(sessions).
        """
        cdef Py_ssize_t session, hits, size, low, high, at = 0
        cdef bint further
        found = []
        for further in range(2):
            for session in range(self.places_size):
                if at >= last:
                    return found
                if self.places[session] == 0:
                    continue
                hits = self.rows[self.places[session] - 1].hits
                size = max(0, hits - most) if further else min(hits, most)
                low, high = max(first - at, 0), min(last - at, size)
                if low < high:
                    found.append((session, low + most * further, high + most * further))
                at += size
        return found

    def best_of_each(self, Py_ssize_t count, const uint8_t[::1] groups not None):
        """Return the first `count` records of each group; groups, u8[sessions], has the group of each session.

        They are in the order of this sequence. Raises ValueError for a session without a group.
        """
        cdef Py_ssize_t k
        cdef Py_ssize_t[256] known
        if groups.shape[0] < self.places_size:
            raise ValueError("every session must have a group")
        known[:] = [0] * 256
        found = []
        for k in range(self.count):
            if known[groups[self.rows[k].session]] < count:
                known[groups[self.rows[k].session]] += 1
                found.append(self.record(self.rows + k))
        return found

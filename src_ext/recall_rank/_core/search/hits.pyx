"""The parts that evidence speaks for, their order, and the best of them without sorting all."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from recall_rank._core.index.doc_columns cimport TITLE
from recall_rank._core.runtime.scratch_pool cimport lend, take_back


cdef class Hits:
    """Parts that evidence speaks for: a sequence of (part, best document, score, the part's own evidence, tier)."""

    def __init__(self, rows=()):
        cdef Hit* hit = self.room_for(len(rows))
        for part, doc, score, base, tier in rows:
            hit[0] = Hit(score, base, part, doc, tier)
            hit += 1

    cdef Hit* room_for(self, Py_ssize_t count) except NULL:
        """Room for `count` hits, which are yet to be written."""
        if self.rows != NULL:
            raise ValueError("hits are made once")
        self.rows = <Hit*>PyMem_Malloc(count * sizeof(Hit))
        if self.rows == NULL:
            raise MemoryError
        memset(self.rows, 0, count * sizeof(Hit))
        self.count = count
        return self.rows

    def __dealloc__(self):
        PyMem_Free(self.rows)

    def __len__(self):
        return self.count

    def __getitem__(self, Py_ssize_t at):
        if not 0 <= at < self.count:
            raise IndexError(at)
        return self.rows[at].part, self.rows[at].doc, self.rows[at].score, self.rows[at].base, self.rows[at].tier

    def __iter__(self):
        return iter([self[k] for k in range(self.count)])

    @property
    def first_tier(self):
        """How many in front of all others are of tier 0, which the prefilter found."""
        cdef Py_ssize_t found = 0
        while found < self.count and self.rows[found].tier == 0:
            found += 1
        return found

    def parts(self):
        return [self.rows[k].part for k in range(self.count)]

    def docs(self):
        return [self.rows[k].doc for k in range(self.count)]

    def taken(self, places not None):
        """The hits at `places`, in that order."""
        cdef Hits found = Hits.__new__(Hits)
        cdef Hit* hit = found.room_for(len(places))
        cdef Py_ssize_t at
        for at in places:
            if not 0 <= at < self.count:
                raise IndexError(at)
            hit[0] = self.rows[at]
            hit += 1
        return found


cdef Hits copied(const Hit* hits, Py_ssize_t count):
    """The first `count` of them."""
    cdef Hits found = Hits.__new__(Hits)
    cdef Hit* rows = found.room_for(count)
    if count:
        memcpy(rows, hits, count * sizeof(Hit))
    return found


cdef bint has_room(Hit** hits, Py_ssize_t* room, Py_ssize_t wanted) noexcept nogil:
    """Whether `wanted` Hits fit, now that there is as much room as that takes; False when memory ran out."""
    cdef Py_ssize_t more = 2 * wanted + 256
    cdef void* grown
    if wanted <= room[0]:
        return True
    grown = lend(more * sizeof(Hit))
    if grown == NULL:
        return False
    if room[0]:
        memcpy(grown, hits[0], room[0] * sizeof(Hit))
    release_hits(hits[0], room[0])
    hits[0] = <Hit*>grown
    room[0] = more
    return True


cdef void release_hits(Hit* hits, Py_ssize_t room) noexcept nogil:
    take_back(hits, room * sizeof(Hit))


cdef void mark_parts(const Hit* hits, Py_ssize_t count, uint8_t* parts) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(count):
        parts[hits[k].part] = 1


cdef Py_ssize_t next_marked(const uint8_t* marks, Py_ssize_t at, Py_ssize_t count) noexcept nogil:
    """The first mark at or behind `at`, `count` where there is none; few are set."""
    cdef uint64_t eight
    while at < count:
        if at + 8 <= count:
            memcpy(&eight, marks + at, 8)
            if eight == 0:
                at += 8
                continue
        if marks[at]:
            break
        at += 1
    return at


cdef bint above(const Hit* a, const Hit* b, DocColumns columns) noexcept nogil:
    """Whether `a` ranks before `b`: tier, then score, then newer, then the order of the segment."""
    cdef int64_t left, right
    if a.tier != b.tier:
        return a.tier < b.tier
    if a.score != b.score:
        return a.score > b.score
    left = columns.message_time[columns.part_message[a.part]]
    right = columns.message_time[columns.part_message[b.part]]
    if left != right:
        return left > right
    return a.part < b.part


cdef void sink(Hit* hits, Py_ssize_t at, Py_ssize_t count, DocColumns columns) noexcept nogil:
    """Restore the heap below `at`; its root is the hit that ranks last."""
    cdef Hit moved = hits[at]
    cdef Py_ssize_t child
    while True:
        child = 2 * at + 1
        if child >= count:
            break
        if child + 1 < count and above(&hits[child], &hits[child + 1], columns):
            child += 1
        if not above(&moved, &hits[child], columns):
            break
        hits[at] = hits[child]
        at = child
    hits[at] = moved


cdef bint better(const Hit* a, const Hit* b) noexcept nogil:
    """Whether `a` rather than `b` stands for a session: tier, then score, then the order of the segment."""
    if a.tier != b.tier:
        return a.tier < b.tier
    if a.score != b.score:
        return a.score > b.score
    return a.part < b.part


cdef void add_hit(SessionHits* rows, const Hit* hit, DocColumns columns) noexcept nogil:
    """Count a hit for its session's row."""
    cdef SessionHits* row = rows + columns.message_session[columns.part_message[hit.part]]
    cdef bint content = columns.doc_class[hit.doc] != TITLE
    if not content:
        row.title = 1
    if row.count == 0 or (content and not row.content) or (<uint32_t>content == row.content and better(hit, row.shown)):
        row.shown = hit
        row.content = content
    if row.count == 0 or better(hit, row.best):
        row.best = hit
    row.count += 1


cdef void best_first(Hit* hits, Py_ssize_t total, Py_ssize_t count, DocColumns columns) noexcept nogil:
    """Bring the `count` best of `total` hits to the front, best first; the others stand behind in any order."""
    cdef Py_ssize_t k
    cdef Hit moved
    for k in range(count // 2 - 1, -1, -1):
        sink(hits, k, count, columns)
    for k in range(count, total):
        if above(&hits[k], &hits[0], columns):
            moved = hits[0]
            hits[0] = hits[k]
            hits[k] = moved
            sink(hits, 0, count, columns)
    for k in range(count - 1, 0, -1):
        moved = hits[0]
        hits[0] = hits[k]
        hits[k] = moved
        sink(hits, 0, k, columns)

"""What of a query stands in a passage, the stretch of it to show, and what a snippet shows of that."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint64_t

from recall_rank._core.rank.features cimport SLOTS, Asked, Event
from recall_rank._core.rank.snippet_window cimport Near, greatest
from recall_rank._core.rank.best_span cimport Place, heaviest_run

cdef enum:
    FIRST_FIELD = 0xF8  # the least byte that begins a field


cdef class Spot:
    """What of a query stands in a passage, and its heaviest stretch; Matcher.spot() makes them, Spot(text, at) is of
    nothing. The text stays borrowed.

    slots: bit j is set where slot j is matched. fields: bit k is set where a word that counts is matched in a field
    of byte 0xF8 + k. [first, last) is the stretch that stretch.heaviest_run() finds, the passage's first byte where
    nothing matches. All offsets are those of the text the passage was read in.
    """

    def __init__(self, const unsigned char[::1] text not None, Py_ssize_t at):
        self.begin(text, at)

    def __dealloc__(self):
        PyMem_Free(self.matches)

    cdef int begin(self, const unsigned char[::1] text, Py_ssize_t at) except -1:
        self.text = text
        self.first = self.last = at
        return 0

    cdef int look(self, Py_ssize_t start, Py_ssize_t end, const Event* events, Py_ssize_t found, const Asked* asked,
                  int label, Py_ssize_t width) except -1:
        """Fill in what the events of the passage text[start:end] tell."""
        cdef const unsigned char* text
        cdef Py_ssize_t k, j, at = start, left = 0, right = 0, margin = width
        cdef int field = label - FIRST_FIELD
        cdef bint counts
        cdef uint8_t most
        cdef Place* places
        if not found:
            return 0
        self.matches = <Match*>PyMem_Malloc(found * sizeof(Match))
        places = <Place*>PyMem_Malloc(found * sizeof(Place))
        if self.matches == NULL or places == NULL:
            PyMem_Free(places)
            raise MemoryError
        text = &self.text[0]
        if text[start] >= FIRST_FIELD:
            field = text[start] - FIRST_FIELD
        most = greatest(text + start + 1, end - start - 1)
        # a few events: they are gone through before another thread has woken up to take the lock
        for k in range(found):
            counts = False
            places[k] = Place(start + events[k].start, start + events[k].end, 0, events[k].slot)
            for j in range(events[k].slot, events[k].slot + events[k].span):
                self.slots |= <uint64_t>1 << j
                counts = counts or asked.counted[j]
                places[k].weight += asked.weights[j]
            places[k].weight *= events[k].similarity
            while most >= FIRST_FIELD and at < places[k].start:
                if text[at] >= FIRST_FIELD:
                    field = text[at] - FIRST_FIELD
                at += 1
            if counts:
                self.fields |= 1 << field
        heaviest_run(places, found, width, &left, &right)
        self.first, self.last = places[left].start, places[right].end
        if most >= 0x80:
            margin = 4 * width  # bytes of the widest characters
        for k in range(found):
            if places[k].end >= self.first - margin and places[k].start <= self.last + margin:
                self.matches[self.count] = Match(
                    places[k].start, places[k].end, events[k].similarity, events[k].slot, events[k].span
                )
                self.count += 1
        PyMem_Free(places)
        return 0

    @property
    def events(self):
        """The matches in the stretch and up to its width around it, in order: (start, end, slot, span, similarity)."""
        return [
            (self.matches[k].start, self.matches[k].end, self.matches[k].slot, self.matches[k].span,
             self.matches[k].similarity)
            for k in range(self.count)
        ]

    def words(self, list written not None):
        """Of the query's words, as they were written or None, those that are matched: in their order, each once."""
        cdef Py_ssize_t k
        cdef list found = []
        for k in range(min(len(written), SLOTS)):
            if self.slots >> k & 1 and written[k] is not None and written[k] not in found:
                found.append(written[k])
        return tuple(found)

    @property
    def middle(self):
        """Where the one in the middle of the stretch's matches begins; the field that holds it is shown."""
        return self.in_the_middle()

    cdef Py_ssize_t in_the_middle(self) noexcept nogil:
        cdef Py_ssize_t k, inside = 0, seen = 0
        for k in range(self.count):
            inside += self.first <= self.matches[k].start and self.matches[k].end <= self.last
        for k in range(self.count):
            if self.first <= self.matches[k].start and self.matches[k].end <= self.last:
                if seen == inside // 2:
                    return self.matches[k].start
                seen += 1
        return self.first

    def near(self, const uint64_t[::1] fields not None, Py_ssize_t width, list weights not None, begin=None):
        """What to show of a part: a Near of its field, framed by these matches as Near.frame() does it.

        fields are those of the part that the passage was read in, weights those of the query's words.
        """
        cdef Py_ssize_t k, j, count = 0
        cdef double weight
        cdef const Match* match
        cdef Near near = Near.__new__(Near)
        cdef Place* places
        near.look(self.text, fields, self.in_the_middle(), self.first, self.last, width, begin)
        places = <Place*>PyMem_Malloc((self.count + 1) * sizeof(Place))
        if places == NULL:
            raise MemoryError
        for k in range(self.count):
            match = self.matches + k
            if match.start < near.start or match.end > near.end:
                continue
            if match.slot + match.span > len(weights):
                PyMem_Free(places)
                raise ValueError(f"there are {len(weights)} weights, but a match of word {match.slot}")
            weight = 0
            for j in range(match.slot, match.slot + match.span):
                weight += <double>weights[j]
            places[count] = Place(match.start - near.start, match.end - near.start, weight * match.similarity,
                                  match.slot)
            count += 1
        near.choose(places, count, self.first, self.last, width)
        return near

"""PassageMatches: where a query matches in one passage, in which fields, and the best span to show."""

from collections import namedtuple

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t, uint64_t

from recall_rank._core.rank.features cimport SLOTS, FormMatch, QueryWords
from recall_rank._core.rank.snippet_window cimport (
    MatchSpan, REPEAT, SLOT_COUNT, SnippetWindow, best_span, greatest_byte
)

cdef enum:
    FIRST_FIELD = 0xF8  # the least byte that begins a field

cdef double EQUAL = 1e-9  # weights that differ by less are equal: sums differ by the order of their terms

WordMatch = namedtuple("WordMatch", ("start", "end", "slot", "span", "similarity"))
WordMatch.__doc__ = "Bytes [start, end) of a text match the words [slot, slot + span) of a query, by `similarity`."


cdef double weight_of(const TextMatch* match, list weights) except -1:
    """Return the weight of a match: that of its words by its similarity. Raises ValueError for a word without one."""
    cdef Py_ssize_t k
    cdef double weight = 0
    if match.slot + match.span > len(weights):
        raise ValueError(f"there are {len(weights)} weights, but a match of word {match.slot}")
    for k in range(match.slot, match.slot + match.span):
        weight += <double>weights[k]
    return weight * match.similarity


cdef class PassageMatches:
    """The matches of a query in one passage, and their best span; Matcher.matches() makes them.

    PassageMatches(text, at) has no match. slots: a bit set; bit j is set when slot j, a word of the query, matches.
    fields: a bit set; bit k is set when a query word that is no stop word matches in a field labelled 0xF8 + k. [first,
    last) is the best span, the densest range of matches, which best_span() finds; it is empty, at the first byte of the
    passage, when nothing matches. All offsets are bytes of the text that contains the passage; the text is not copied.
    """

    def __init__(self, const unsigned char[::1] text not None, Py_ssize_t at):
        self.begin(text, at)

    def __dealloc__(self):
        PyMem_Free(self.kept)

    cdef int begin(self, const unsigned char[::1] text, Py_ssize_t at) except -1:
        """Set the text, and an empty best span at byte `at` of it."""
        self.text = text
        self.first = self.last = at
        return 0

    cdef int fill(self, Py_ssize_t start, Py_ssize_t end, const FormMatch* found, Py_ssize_t count,
                  const QueryWords* query, int label, Py_ssize_t width) except -1:
        """Set all attributes from the `count` matches `found` in the passage text[start:end], if there are any.

        `label` is the byte that labels the field in which the passage begins. Only the matches in the best span are
        stored, and those close enough to it for a snippet of `width` characters.
        """
        cdef const unsigned char* text
        cdef Py_ssize_t k, j, at = start, left = 0, right = 0, margin = width
        cdef int field = label - FIRST_FIELD
        cdef bint counts
        cdef uint8_t greatest
        cdef MatchSpan* spans
        if not count:
            return 0
        self.kept = <TextMatch*>PyMem_Malloc(count * sizeof(TextMatch))
        spans = <MatchSpan*>PyMem_Malloc(count * sizeof(MatchSpan))
        if self.kept == NULL or spans == NULL:
            PyMem_Free(spans)
            raise MemoryError
        text = &self.text[0]
        if text[start] >= FIRST_FIELD:
            field = text[start] - FIRST_FIELD
        greatest = greatest_byte(text + start + 1, end - start - 1)
        # with the GIL: a few matches take less time than another thread needs to take it
        for k in range(count):
            counts = False
            spans[k] = MatchSpan(start + found[k].start, start + found[k].end, 0, found[k].slot)
            for j in range(found[k].slot, found[k].slot + found[k].span):
                self.slots |= <uint64_t>1 << j
                counts = counts or query.counted[j]
                spans[k].weight += query.weights[j]
            spans[k].weight *= found[k].similarity
            while greatest >= FIRST_FIELD and at < spans[k].start:
                if text[at] >= FIRST_FIELD:
                    field = text[at] - FIRST_FIELD
                at += 1
            if counts:
                self.fields |= 1 << field
        best_span(spans, count, width, &left, &right)
        self.first, self.last = spans[left].start, spans[right].end
        if greatest >= 0x80:
            margin = 4 * width  # bytes of the widest characters
        for k in range(count):
            if spans[k].end >= self.first - margin and spans[k].start <= self.last + margin:
                self.kept[self.count] = TextMatch(
                    spans[k].start, spans[k].end, found[k].similarity, found[k].slot, found[k].span
                )
                self.count += 1
        PyMem_Free(spans)
        return 0

    @property
    def matches(self):
        """The WordMatches in the best span and up to about `width` characters around it, in order of position."""
        return [
            WordMatch(self.kept[k].start, self.kept[k].end, self.kept[k].slot, self.kept[k].span,
                      self.kept[k].similarity)
            for k in range(self.count)
        ]

    def words(self, list written not None):
        """Return a tuple of the words of the query that match, in its order, each once.

        written[k] is the text of slot k, the k-th word of the query, or None for a word to leave out.
        """
        cdef Py_ssize_t k
        cdef list found = []
        for k in range(min(len(written), SLOTS)):
            if self.slots >> k & 1 and written[k] is not None and written[k] not in found:
                found.append(written[k])
        return tuple(found)

    cdef inline bint is_inside(self, const TextMatch* match, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """Return whether a match lies in the best span and begins in bytes [low, high) of the text."""
        return low <= match.start < high and self.first <= match.start and match.end <= self.last

    cdef Py_ssize_t middle_between(self, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
        """Return the first byte, in the text, of the middle match of the best span's matches that begin in bytes [low,
        high); the first byte of the span when there is none.
        """
        cdef Py_ssize_t k, inside = 0, seen = 0
        for k in range(self.count):
            inside += self.is_inside(self.kept + k, low, high)
        for k in range(self.count):
            if self.is_inside(self.kept + k, low, high):
                if seen == inside // 2:
                    return self.kept[k].start
                seen += 1
        return self.first

    cdef double weight_between(self, Py_ssize_t low, Py_ssize_t high, list weights) except -1:
        """Return the weight, as best_span() adds it up, of the best span's matches that begin in bytes [low, high).
        """
        cdef Py_ssize_t k
        cdef double[SLOT_COUNT] heaviest
        cdef double weight, total = 0
        for k in range(SLOT_COUNT):
            heaviest[k] = 0
        for k in range(self.count):
            if self.is_inside(self.kept + k, low, high):
                weight = weight_of(self.kept + k, weights)
                total += REPEAT * weight + max(weight - heaviest[self.kept[k].slot], 0)
                heaviest[self.kept[k].slot] = max(heaviest[self.kept[k].slot], weight)
        return total

    cdef Py_ssize_t shown_match(self, const uint64_t[::1] fields, list weights) except -1:
        """Return the first byte of the match around which a snippet shows a field: the middle one of those matches of
        the best span that lie in the field in which they weigh most; of equal fields, in the first.
        """
        cdef Py_ssize_t field, low, high, best_low = 0, best_high = self.last
        cdef double weight, most = -1
        for field in range(fields.shape[0] - 1 if fields.shape[0] > 2 else 0):
            low, high = fields[field], fields[field + 1]
            if low < self.last and self.first < high:
                weight = self.weight_between(low, high, weights)
                if weight > most + EQUAL:
                    most, best_low, best_high = weight, low, high
        return self.middle_between(best_low, best_high)

    def snippet_window(self, const uint64_t[::1] fields not None, Py_ssize_t width, list weights not None, begin=None):
        """Return the SnippetWindow, with these matches selected, of the field where those in the best span weigh most.

        fields, u64[n + 1], are the first bytes of the fields of the passage's part and the end of the last. `begin`, if
        given, may return an earlier byte at which to begin the window, as described at SnippetWindow. weights has a
        weight for each word of the query. Raises ValueError for a match of a word without one.
        """
        cdef Py_ssize_t k, count = 0
        cdef double weight
        cdef const TextMatch* match
        cdef SnippetWindow window = SnippetWindow.__new__(SnippetWindow)
        cdef MatchSpan* spans
        window.open(self.text, fields, self.shown_match(fields, weights), self.first, self.last, width, begin)
        spans = <MatchSpan*>PyMem_Malloc((self.count + 1) * sizeof(MatchSpan))
        if spans == NULL:
            raise MemoryError
        try:
            for k in range(self.count):
                match = self.kept + k
                if match.start >= window.start and match.end <= window.end:
                    weight = weight_of(match, weights)
                    spans[count] = MatchSpan(match.start - window.start, match.end - window.start, weight, match.slot)
                    count += 1
        except BaseException:
            PyMem_Free(spans)
            raise
        window.select_spans(spans, count, self.first, self.last, width)
        return window

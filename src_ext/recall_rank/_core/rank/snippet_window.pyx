"""The window of a field from which a snippet is cut: the characters to show, and the matches among them."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint64_t

from recall_rank._core.text.substring_scan cimport code_points_between

cdef enum:
    LONG_FIELD = 4096   # bytes of a field above which only the surroundings of a match are read
    FIRST_FIELD = 0xF8  # the least byte that begins a field

cdef str ELLIPSIS = "..."
REPEAT = 0.1


cdef void best_span(const MatchSpan* spans, Py_ssize_t count, Py_ssize_t width, Py_ssize_t* first,
                    Py_ssize_t* last) noexcept nogil:
    """Find the range of matches that lies within `width` and has the highest total weight: [first[0], last[0]].

    These are indices of `spans`, both included, and both 0 when there are no matches. `spans` are `count` matches in
    order of position, except that the joined form of a compound may come after its first word; `width` has the unit of
    their offsets, bytes or characters. A single match longer than `width` counts as a range. Of several matches of one
    query word, the heaviest counts in full and each other by the share REPEAT, since a repeated word does not make a
    passage worth showing. Among equals the shortest range is taken, then the earliest. O(count).
    """
    cdef Py_ssize_t k, other, left = 0
    cdef int count_of[SLOT_COUNT]
    cdef double heaviest[SLOT_COUNT]
    cdef double total = 0, best = -1, extra
    cdef Py_ssize_t extent, best_extent = 0
    cdef int slot
    first[0] = 0
    last[0] = 0
    for k in range(SLOT_COUNT):
        count_of[k] = 0
        heaviest[k] = 0
    for k in range(count):
        slot = spans[k].slot
        extra = spans[k].weight - heaviest[slot] if spans[k].weight > heaviest[slot] else 0
        count_of[slot] += 1
        heaviest[slot] += extra
        total += REPEAT * spans[k].weight + extra
        while left < k and spans[k].end - spans[left].start > width:
            slot = spans[left].slot
            total -= REPEAT * spans[left].weight
            count_of[slot] -= 1
            if spans[left].weight == heaviest[slot]:
                # the heaviest match of the slot among those that stay
                extra = 0
                for other in range(left + 1, k + 1 if count_of[slot] else 0):
                    if spans[other].slot == slot and spans[other].weight > extra:
                        extra = spans[other].weight
                        if extra == heaviest[slot]:
                            break
                total -= heaviest[slot] - extra
                heaviest[slot] = extra
            left += 1
        extent = spans[k].end - spans[left].start
        if total > best + 1e-9 or (total > best - 1e-9 and extent < best_extent):
            best = total
            best_extent = extent
            first[0] = left
            last[0] = k


cdef Py_ssize_t in_characters(const uint8_t* text, Py_ssize_t size, MatchSpan* spans, Py_ssize_t count) noexcept nogil:
    """Convert the offsets of `count` spans, nearly in order of position, from bytes to characters of text[0:size].

    Return the number of characters of the text.
    """
    cdef Py_ssize_t at = 0, k, points = 0, ahead, seen
    for k in range(count):
        while at < spans[k].start:
            points += (text[at] & 0xC0) != 0x80
            at += 1
        while at > spans[k].start:  # the joined form of a compound is read after its first word
            at -= 1
            points -= (text[at] & 0xC0) != 0x80
        ahead, seen = spans[k].start, points
        while ahead < spans[k].end:
            seen += (text[ahead] & 0xC0) != 0x80
            ahead += 1
        spans[k].start, spans[k].end = points, seen
    while at < size:
        points += (text[at] & 0xC0) != 0x80
        at += 1
    return points


cdef uint8_t greatest_byte(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """Return the greatest byte of text[0:size], which is below 128 for ASCII; 0 for an empty text."""
    cdef uint8_t most = 0
    cdef Py_ssize_t k
    for k in range(size):
        most = max(most, text[k])
    return most


cdef void sort_spans(MatchSpan* spans, Py_ssize_t count) noexcept nogil:
    """Sort spans[0:count] by start, then end. They are nearly sorted, so insertion is linear."""
    cdef Py_ssize_t k, at
    cdef MatchSpan moved
    for k in range(1, count):
        moved = spans[k]
        at = k
        while at and (spans[at - 1].start > moved.start
                      or (spans[at - 1].start == moved.start and spans[at - 1].end > moved.end)):
            spans[at] = spans[at - 1]
            at -= 1
        spans[at] = moved


cdef void show_around(MatchSpan* spans, Py_ssize_t size, Py_ssize_t middle, Py_ssize_t width,
                      Shown* shown) noexcept nogil:
    """Choose `width` of `size` characters around character `middle` to show, and keep the spans that overlap them.

    `shown` is filled in; its `count` is the number of spans before and after. Spans are sorted by start; overlapping
    ones are merged. All offsets are characters.
    """
    cdef Py_ssize_t k, count = 0
    shown.low = min(max(0, middle - width // 2), max(0, size - width))
    shown.high = min(shown.low + width, size)
    for k in range(shown.count):
        if not (spans[k].start < shown.high and spans[k].end > shown.low):
            continue
        if count and spans[k].start < spans[count - 1].end:
            spans[count - 1].end = max(spans[count - 1].end, spans[k].end)
        elif spans[k].start < spans[k].end:
            spans[count] = spans[k]
            count += 1
    shown.count = count


cdef void select_shown(const uint8_t* text, Py_ssize_t size, MatchSpan* spans, Py_ssize_t count, Py_ssize_t middle,
                       Py_ssize_t width, Shown* shown) noexcept nogil:
    """Choose `width` characters of text[0:size] to show, into *shown, and keep the matches among them in `spans`.

    The offsets of the `count` spans are bytes before, characters after. `middle` is the byte around which to show, or
    -1 to show around the middle of the best span. In a text that is not ASCII, the best span is always used.
    """
    cdef Py_ssize_t left = 0, right = 0
    if greatest_byte(text, size) >= 0x80:
        size = in_characters(text, size, spans, count)
        middle = -1
    shown.size = size
    if middle < 0 and count:
        best_span(spans, count, width, &left, &right)
        middle = (spans[left].start + spans[right].end) // 2
    shown.count = count
    sort_spans(spans, count)
    show_around(spans, size, middle if middle >= 0 else width // 2, width, shown)


cdef Py_ssize_t byte_of(const uint8_t* text, Py_ssize_t size, Py_ssize_t at, Py_ssize_t points) noexcept nogil:
    """Return the first byte of the character that is `points` characters behind the one at byte `at`, or `size`."""
    while at < size:
        if text[at] & 0xC0 != 0x80:
            if points == 0:
                break
            points -= 1
        at += 1
    return at


cdef class Snippet:
    """The text of a snippet, the matches in it, and the number of its field: the label byte less 0xF8."""

    cdef readonly str text
    cdef readonly tuple spans
    cdef readonly int field

    def __init__(self, str text not None, tuple spans not None, int field):
        self.text = text
        self.spans = spans
        self.field = field


cdef class SnippetWindow:
    """The window, bytes [start, end) of a text, from which a snippet of one field is cut.

    It shows the field that contains byte `at` of a UTF-8 text. fields, u64[n + 1], are the first bytes of the fields of
    a part, each a byte that labels the field, and the end of the last. The window is the whole field, or, in a field
    longer than LONG_FIELD (4,096) bytes, the range [first, last) with 4 * width bytes on both sides. begin(text, first
    byte of the field, first byte of the window), when given, may return an earlier byte at which to begin the window.
    select() chooses the characters to show. Raises IndexError for ranges and fields outside of the text, ValueError for
    a negative width and for a byte that labels no field.
    """

    def __init__(self, const uint8_t[::1] text not None, const uint64_t[::1] fields not None, Py_ssize_t at,
                 Py_ssize_t first, Py_ssize_t last, Py_ssize_t width, begin=None):
        self.open(text, fields, at, first, last, width, begin)

    cdef int open(self, const uint8_t[::1] text, const uint64_t[::1] fields, Py_ssize_t at, Py_ssize_t first,
                  Py_ssize_t last, Py_ssize_t width, begin) except -1:
        """Set the field and the window from the arguments that the class SnippetWindow describes, and raise its errors.
        """
        cdef Py_ssize_t reach, size = text.shape[0]
        self.data = text
        self.field_start = self.field_end = self.start = self.end = 0
        self.shown = Shown(0, 0, 0, 0)
        if not (0 <= at <= size and 0 <= first <= last <= size):
            raise IndexError(f"no range {first}:{last} around {at} in {size} bytes")
        if width < 0:
            raise ValueError(f"width must be at least 0, not {width}")
        self.find_field(fields, at)
        self.start, self.end = self.field_start, self.field_end
        if self.field_end - self.field_start <= LONG_FIELD:
            return 0
        reach = 4 * min(width, size)  # bytes of the widest characters
        self.start = min(max(self.field_start, min(first, at) - reach), self.field_end)
        self.end = max(min(self.field_end, max(last, at) + reach), self.start)
        if begin is not None and self.start > self.field_start:
            reach = begin(text.base, self.field_start, self.start)
            if not self.field_start <= reach <= self.start:
                raise ValueError(f"no beginning between {self.field_start} and {self.start}: {reach}")
            self.start = reach
        while self.field_start < self.start < self.field_end and self.data[self.start] & 0xC0 == 0x80:
            self.start -= 1
        while self.end < self.field_end and self.data[self.end] & 0xC0 == 0x80:
            self.end += 1
        return 0

    def __dealloc__(self):
        PyMem_Free(self.matches)

    cdef int find_field(self, const uint64_t[::1] fields, Py_ssize_t at) except -1:
        """Set the field to the one that contains byte `at`, or to the nearest if none does.

        `fields` is as described at the class; if it has only the end of the last field, the field is empty. Raises
        IndexError for a field outside of the text, ValueError for an empty `fields` and for a byte that labels no
        field.
        """
        cdef Py_ssize_t low = 0, high = fields.shape[0] - 1, half
        if high < 0:
            raise ValueError("fields must hold the end of the last field")
        if high == 0:
            if fields[0] > <uint64_t>self.data.shape[0]:
                raise IndexError(f"no field at {fields[0]} in {self.data.shape[0]} bytes")
            self.field_start = self.field_end = fields[0]
            return 0
        while high - low > 1:
            half = (low + high) // 2
            if fields[half] <= <uint64_t>at:
                low = half
            else:
                high = half
        if not fields[low] < fields[low + 1] <= <uint64_t>self.data.shape[0]:
            raise IndexError(f"no field {fields[low]}:{fields[low + 1]} in {self.data.shape[0]} bytes")
        if self.data[fields[low]] < FIRST_FIELD:
            raise ValueError(f"no field begins at {fields[low]}")
        self.field = self.data[fields[low]] - FIRST_FIELD
        self.field_start, self.field_end = fields[low] + 1, fields[low + 1]
        return 0

    cdef int select_spans(self, MatchSpan* spans, Py_ssize_t count, Py_ssize_t first, Py_ssize_t last,
                          Py_ssize_t width) except -1:
        """Choose at most `width` characters to show around the middle of bytes [first, last) of the text, as by
        select().

        Takes ownership of `spans`, which are `count` matches in bytes from the start of the window.
        """
        cdef Py_ssize_t middle = -1
        PyMem_Free(self.matches)
        self.matches = spans
        if count and self.start <= first and last <= self.end:
            middle = (first + last) // 2 - self.start
        select_shown(&self.data[self.start] if self.start < self.end else NULL, self.end - self.start, spans, count,
                     middle, width, &self.shown)
        return 0

    def select(self, list matches not None, Py_ssize_t first, Py_ssize_t last, Py_ssize_t width, list weights not None):
        """Choose at most `width` characters to show, [low, high), around the middle of bytes [first, last) of the text.

        When the window is not ASCII, or does not contain these bytes, characters around the best_span() of `matches`
        are shown instead. matches are WordMatches; weights has a weight for each word of the query. Raises ValueError
        for a match outside of the query. O(bytes + matches).
        """
        cdef Py_ssize_t count = 0, k
        cdef Py_ssize_t begin, stop, slot, span
        cdef double similarity, weight
        cdef MatchSpan* spans
        if width < 0:
            raise ValueError(f"width must be at least 0, not {width}")
        spans = <MatchSpan*>PyMem_Malloc((len(matches) + 1) * sizeof(MatchSpan))
        if spans == NULL:
            raise MemoryError
        try:
            for match in matches:
                begin, stop, slot, span, similarity = match
                if begin < self.start or stop > self.end:
                    continue
                if not begin <= stop or not 0 <= slot < SLOT_COUNT or not 0 < span <= len(weights) - slot:
                    raise ValueError(f"no match: {match}")
                weight = 0
                for k in range(slot, slot + span):
                    weight += <double>weights[k]
                spans[count] = MatchSpan(begin - self.start, stop - self.start, weight * similarity, slot)
                count += 1
        except BaseException:
            PyMem_Free(spans)
            raise
        self.select_spans(spans, count, first, last, width)

    @property
    def low(self):
        """The index of the first shown character in the window, the attribute `text`."""
        return self.shown.low

    @property
    def high(self):
        """The index behind the last shown character in the window, the attribute `text`."""
        return self.shown.high

    @property
    def spans(self):
        """A list of the shown matches, (start, end) as character indices in the window; overlapping ones are merged."""
        return [(self.matches[k].start, self.matches[k].end) for k in range(self.shown.count)]

    @property
    def text(self):
        """The whole window as a str."""
        return self.decoded(self.start, self.end)

    @property
    def before(self):
        """The number of characters of the field that precede the window."""
        return self.characters_before()

    @property
    def ellipses(self):
        """A tuple (left, right): "..." where the field goes on before or behind the shown characters, else ""."""
        return self.left_ellipsis(), self.right_ellipsis()

    cdef Py_ssize_t characters_before(self) except -1:
        """Return the number of characters of the field that precede the window."""
        if self.field_start >= self.start:
            return 0
        return code_points_between(&self.data[0], self.field_start, self.start, True)

    cdef str left_ellipsis(self):
        return ELLIPSIS if self.shown.low or self.field_start < self.start else ""

    cdef str right_ellipsis(self):
        return ELLIPSIS if self.shown.high < self.shown.size or self.end < self.field_end else ""

    cdef str decoded(self, Py_ssize_t start, Py_ssize_t end):
        return PyUnicode_DecodeUTF8(<const char*>&self.data[start], end - start, "replace") if start < end else ""

    def cut(self, make not None):
        """Return the Snippet of the shown characters, with "..." where the field goes on, and records of its matches.

        make(start, end, field_start, field_end) makes a record for each of `spans`: character offsets in the snippet,
        then in the field.
        """
        cdef Py_ssize_t start = self.start + self.shown.low, end = self.start + self.shown.high, k, at, before
        cdef str left = self.left_ellipsis()
        if self.shown.size != self.end - self.start:  # bytes that are no characters
            start = byte_of(&self.data[0], self.end, self.start, self.shown.low)
            end = byte_of(&self.data[0], self.end, start, self.shown.high - self.shown.low)
        spans = []
        if self.shown.count:
            at, before = len(left) - self.shown.low, self.characters_before()
            for k in range(self.shown.count):
                spans.append(make(max(self.matches[k].start, self.shown.low) + at,
                                  min(self.matches[k].end, self.shown.high) + at,
                                  self.matches[k].start + before, self.matches[k].end + before))
        return Snippet(left + self.decoded(start, end) + self.right_ellipsis(), tuple(spans), self.field)

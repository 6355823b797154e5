"""As much of a field as a snippet may show, which characters of it to show, and where in them its matches stand."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint8_t, uint64_t

from recall_rank._core.text.substring_scan cimport points_between
from recall_rank._core.rank.best_span cimport KINDS, Place, heaviest_run

cdef enum:
    LONG_FIELD = 4096   # bytes from which only the surroundings of a match are read
    FIRST_FIELD = 0xF8  # the least byte that begins a field

cdef str ELLIPSIS = "..."


cdef Py_ssize_t in_characters(const uint8_t* text, Py_ssize_t size, Place* places, Py_ssize_t count) noexcept nogil:
    """Turn places, nearly in order, from bytes into characters; the characters of all of `text`."""
    cdef Py_ssize_t at = 0, k, points = 0, ahead, seen
    for k in range(count):
        while at < places[k].start:
            points += (text[at] & 0xC0) != 0x80
            at += 1
        while at > places[k].start:  # a compound is read after its first word
            at -= 1
            points -= (text[at] & 0xC0) != 0x80
        ahead, seen = places[k].start, points
        while ahead < places[k].end:
            seen += (text[ahead] & 0xC0) != 0x80
            ahead += 1
        places[k].start, places[k].end = points, seen
    while at < size:
        points += (text[at] & 0xC0) != 0x80
        at += 1
    return points


cdef uint8_t greatest(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    """The greatest byte, 0 of none."""
    cdef uint8_t most = 0
    cdef Py_ssize_t k
    for k in range(size):
        most = max(most, text[k])
    return most


cdef void sort_places(Place* places, Py_ssize_t count) noexcept nogil:
    """By start, then end: nearly sorted, so insertion is linear."""
    cdef Py_ssize_t k, at
    cdef Place place
    for k in range(1, count):
        place = places[k]
        at = k
        while at and (places[at - 1].start > place.start
                      or (places[at - 1].start == place.start and places[at - 1].end > place.end)):
            places[at] = places[at - 1]
            at -= 1
        places[at] = place


cdef void choose(Place* places, Py_ssize_t size, Py_ssize_t middle, Py_ssize_t width, Shown* shown) noexcept nogil:
    """`width` of `size` characters around `middle`, and of the places those that stand there, overlapping ones as one.
    """
    cdef Py_ssize_t k, count = 0
    shown.low = min(max(0, middle - width // 2), max(0, size - width))
    shown.high = min(shown.low + width, size)
    for k in range(shown.count):
        if not (places[k].start < shown.high and places[k].end > shown.low):
            continue
        if count and places[k].start < places[count - 1].end:
            places[count - 1].end = max(places[count - 1].end, places[k].end)
        elif places[k].start < places[k].end:
            places[count] = places[k]
            count += 1
    shown.count = count


cdef void frame_places(const uint8_t* text, Py_ssize_t size, Place* places, Py_ssize_t count, Py_ssize_t middle,
                       Py_ssize_t width, Shown* shown) noexcept nogil:
    """What to show of a text, and its places from bytes into the characters of it that are shown.

    `middle` is the byte around which to show, or -1; where a byte is not a character it does not count.
    """
    cdef Py_ssize_t left = 0, right = 0
    if greatest(text, size) >= 0x80:  # not every byte is a character
        size = in_characters(text, size, places, count)
        middle = -1
    shown.size = size
    if middle < 0 and count:
        heaviest_run(places, count, width, &left, &right)
        middle = (places[left].start + places[right].end) // 2
    shown.count = count
    sort_places(places, count)
    choose(places, size, middle if middle >= 0 else width // 2, width, shown)


cdef Py_ssize_t byte_of(const uint8_t* text, Py_ssize_t size, Py_ssize_t at, Py_ssize_t points) noexcept nogil:
    """Where the character begins that stands `points` behind the one at `at`."""
    while at < size:
        if text[at] & 0xC0 != 0x80:
            if points == 0:
                break
            points -= 1
        at += 1
    return at


cdef class Near:
    """As much of a field as a snippet may show, and the frame of it that is shown.

    The field is the one that holds byte `at` of a UTF-8 text; fields u64[n + 1] are where those of a part begin, each
    with its byte, and where the last of them ends. Of a long one only the surroundings of bytes [first, last) may be
    shown, 4 * width of them on both sides, or more in front: from begin(text, first byte of the field, first of the
    surroundings) on. frame() chooses characters [low, high) of them.
    """

    def __init__(self, const uint8_t[::1] text not None, const uint64_t[::1] fields not None, Py_ssize_t at,
                 Py_ssize_t first, Py_ssize_t last, Py_ssize_t width, begin=None):
        self.look(text, fields, at, first, last, width, begin)

    cdef int look(self, const uint8_t[::1] text, const uint64_t[::1] fields, Py_ssize_t at, Py_ssize_t first,
                  Py_ssize_t last, Py_ssize_t width, begin) except -1:
        cdef Py_ssize_t reach, size = text.shape[0]
        self.data = text
        self.front = self.behind = self.start = self.end = 0
        self.shown = Shown(0, 0, 0, 0)
        if not (0 <= at <= size and 0 <= first <= last <= size):
            raise IndexError(f"no range {first}:{last} around {at} in {size} bytes")
        if width < 0:
            raise ValueError(f"width must be at least 0, not {width}")
        self.find(fields, at)
        self.start, self.end = self.front, self.behind
        if self.behind - self.front <= LONG_FIELD:
            return 0
        reach = 4 * min(width, size)  # bytes of the widest characters
        self.start = min(max(self.front, min(first, at) - reach), self.behind)
        self.end = max(min(self.behind, max(last, at) + reach), self.start)
        if begin is not None and self.start > self.front:
            reach = begin(text.base, self.front, self.start)
            if not self.front <= reach <= self.start:
                raise ValueError(f"no beginning between {self.front} and {self.start}: {reach}")
            self.start = reach
        while self.front < self.start < self.behind and self.data[self.start] & 0xC0 == 0x80:
            self.start -= 1
        while self.end < self.behind and self.data[self.end] & 0xC0 == 0x80:
            self.end += 1
        return 0

    def __dealloc__(self):
        PyMem_Free(self.matches)

    cdef int find(self, const uint64_t[::1] fields, Py_ssize_t at) except -1:
        """The field that holds byte `at`: the first one where none begins before it, an empty one where there is none.
        """
        cdef Py_ssize_t low = 0, high = fields.shape[0] - 1, half
        if high < 0:
            raise ValueError("fields must tell where the last one ends")
        if high == 0:
            if fields[0] > <uint64_t>self.data.shape[0]:
                raise IndexError(f"no field at {fields[0]} in {self.data.shape[0]} bytes")
            self.front = self.behind = fields[0]
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
        self.front, self.behind = fields[low] + 1, fields[low + 1]
        return 0

    cdef int choose(self, Place* places, Py_ssize_t count, Py_ssize_t first, Py_ssize_t last,
                    Py_ssize_t width) except -1:
        """Choose what is shown, and keep `places`, which are bytes from `start` on; see frame()."""
        cdef Py_ssize_t middle = -1
        PyMem_Free(self.matches)
        self.matches = places
        if count and self.start <= first and last <= self.end:
            middle = (first + last) // 2 - self.start
        frame_places(&self.data[self.start] if self.start < self.end else NULL, self.end - self.start, places, count,
                     middle, width, &self.shown)
        return 0

    def frame(self, list events not None, Py_ssize_t first, Py_ssize_t last, Py_ssize_t width, list weights not None):
        """Choose [low, high): at most `width` characters around the middle of [first, last), bytes of the text.

        Where a byte is not a character, or that stretch does not stand here, around the heaviest run of `events` that
        is at most `width` characters long. events are as Matcher.spot() tells them, weights those of the query's
        words. O(bytes + events).
        """
        cdef Py_ssize_t count = 0, k
        cdef Py_ssize_t begin, stop, slot, span
        cdef double similarity, weight
        cdef Place* places
        cdef tuple event
        if width < 0:
            raise ValueError(f"width must be at least 0, not {width}")
        places = <Place*>PyMem_Malloc((len(events) + 1) * sizeof(Place))
        if places == NULL:
            raise MemoryError
        try:
            for event in events:
                begin, stop, slot, span, similarity = event
                if begin < self.start or stop > self.end:
                    continue
                if not begin <= stop or not 0 <= slot < KINDS or not 0 < span <= len(weights) - slot:
                    raise ValueError(f"no event: {event}")
                weight = 0
                for k in range(slot, slot + span):
                    weight += <double>weights[k]
                places[count] = Place(begin - self.start, stop - self.start, weight * similarity, slot)
                count += 1
        except BaseException:
            PyMem_Free(places)
            raise
        self.choose(places, count, first, last, width)

    @property
    def low(self):
        """The first character of `text` that is shown."""
        return self.shown.low

    @property
    def high(self):
        """The one behind the last."""
        return self.shown.high

    @property
    def places(self):
        """The matches that are shown at least in part, whole and apart: characters [start, end) of `text`."""
        return [(self.matches[k].start, self.matches[k].end) for k in range(self.shown.count)]

    @property
    def text(self):
        """What may be shown of the field."""
        return self.decoded(self.start, self.end)

    @property
    def before(self):
        """How many characters of the field stand in front of that."""
        return self.in_front()

    @property
    def dots(self):
        """What stands for what is cut off the field in front of [low, high), and behind it."""
        return self.left(), self.right()

    cdef Py_ssize_t in_front(self) except -1:
        return points_between(&self.data[0], self.front, self.start, True) if self.front < self.start else 0

    cdef str left(self):
        return ELLIPSIS if self.shown.low or self.front < self.start else ""

    cdef str right(self):
        return ELLIPSIS if self.shown.high < self.shown.size or self.end < self.behind else ""

    cdef str decoded(self, Py_ssize_t start, Py_ssize_t end):
        return PyUnicode_DecodeUTF8(<const char*>&self.data[start], end - start, "replace") if start < end else ""

    def cut(self, make not None):
        """Characters [low, high) between dots, and make(start, end, start in the field, its end) of every match."""
        cdef Py_ssize_t start = self.start + self.shown.low, end = self.start + self.shown.high, k, at, before
        cdef str left = self.left()
        if self.shown.size != self.end - self.start:  # not every byte is a character
            start = byte_of(&self.data[0], self.end, self.start, self.shown.low)
            end = byte_of(&self.data[0], self.end, start, self.shown.high - self.shown.low)
        spans = []
        if self.shown.count:
            at, before = len(left) - self.shown.low, self.in_front()
            for k in range(self.shown.count):
                spans.append(make(max(self.matches[k].start, self.shown.low) + at,
                                  min(self.matches[k].end, self.shown.high) + at,
                                  self.matches[k].start + before, self.matches[k].end + before))
        return left + self.decoded(start, end) + self.right(), tuple(spans)

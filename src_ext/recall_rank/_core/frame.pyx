"""Which characters of a text to show around its matches, and where in them the matches stand."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport uint8_t

from recall_rank._core.stretch cimport KINDS, Place, heaviest_run


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


cdef bint plain(const uint8_t* text, Py_ssize_t size) noexcept nogil:
    cdef uint8_t bits = 0
    cdef Py_ssize_t k
    for k in range(size):
        bits |= text[k]
    return bits < 0x80


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
    if size and not plain(text, size):
        size = in_characters(text, size, places, count)
        middle = -1
    if middle < 0 and count:
        heaviest_run(places, count, width, &left, &right)
        middle = (places[left].start + places[right].end) // 2
    shown.count = count
    sort_places(places, count)
    choose(places, size, middle if middle >= 0 else width // 2, width, shown)


def frame(const uint8_t[::1] text not None, Py_ssize_t start, Py_ssize_t end, list events not None, Py_ssize_t first,
          Py_ssize_t last, Py_ssize_t width, list weights not None):
    """What to show of text[start:end], UTF-8 of whole characters: (low, high, places), in characters from `start`.

    [low, high) are at most `width` characters around the middle of [first, last), the heaviest stretch in bytes; where
    a byte is not a character, or the stretch does not stand there, around the heaviest run of `events` that is at most
    `width` characters long. events are as Matcher.spot() tells them, weights those of the query's words. places
    are the matches that stand there at least in part, whole and apart. O(bytes + events).
    """
    cdef Py_ssize_t count = 0, k, middle = -1
    cdef Py_ssize_t begin, stop, slot, span
    cdef double similarity, weight
    cdef Place* places = NULL
    cdef Shown shown
    cdef tuple event
    if not 0 <= start <= end <= text.shape[0]:
        raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
    if width < 0:
        raise ValueError(f"width must be at least 0, not {width}")
    places = <Place*>PyMem_Malloc((len(events) + 1) * sizeof(Place))
    if places == NULL:
        raise MemoryError
    try:
        for event in events:
            begin, stop, slot, span, similarity = event
            if begin < start or stop > end:
                continue
            if not begin <= stop or not 0 <= slot < KINDS or not 0 < span <= len(weights) - slot:
                raise ValueError(f"no event: {event}")
            weight = 0
            for k in range(slot, slot + span):
                weight += <double>weights[k]
            places[count] = Place(begin - start, stop - start, weight * similarity, slot)
            count += 1
        if count and start <= first and last <= end:
            middle = (first + last) // 2 - start
        frame_places(&text[start] if start < end else NULL, end - start, places, count, middle, width, &shown)
        return shown.low, shown.high, [(places[k].start, places[k].end) for k in range(shown.count)]
    finally:
        PyMem_Free(places)

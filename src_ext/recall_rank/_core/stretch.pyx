"""Find the stretch of a text that shows most of a query: linear in the number of matches."""

from cpython.mem cimport PyMem_Free, PyMem_Malloc

cdef void heaviest_run(const Place* places, Py_ssize_t count, Py_ssize_t width, double repeat, Py_ssize_t* first,
                       Py_ssize_t* last) noexcept nogil:
    """centre() on places that are in order; a kind of -1 differs from all others."""
    cdef Py_ssize_t k, other, left = 0
    cdef int held[KINDS]
    cdef double heaviest[KINDS]
    cdef double total = 0, best = -1, extra
    cdef Py_ssize_t extent, best_extent = 0
    cdef int kind
    first[0] = 0
    last[0] = 0
    for k in range(KINDS):
        held[k] = 0
        heaviest[k] = 0
    for k in range(count):
        kind = places[k].kind
        extra = places[k].weight
        if kind >= 0:
            extra = places[k].weight - heaviest[kind] if places[k].weight > heaviest[kind] else 0
            held[kind] += 1
            heaviest[kind] += extra
        total += repeat * places[k].weight + extra
        while left < k and places[k].end - places[left].start > width:
            kind = places[left].kind
            total -= repeat * places[left].weight
            if kind < 0:
                total -= places[left].weight
            else:
                held[kind] -= 1
                if places[left].weight == heaviest[kind]:
                    # the heaviest of those that stay
                    extra = 0
                    for other in range(left + 1, k + 1 if held[kind] else 0):
                        if places[other].kind == kind and places[other].weight > extra:
                            extra = places[other].weight
                            if extra == heaviest[kind]:
                                break
                    total -= heaviest[kind] - extra
                    heaviest[kind] = extra
            left += 1
        extent = places[k].end - places[left].start
        if total > best + 1e-9 or (total > best - 1e-9 and extent < best_extent):
            best = total
            best_extent = extent
            first[0] = left
            last[0] = k


def centre(list places not None, list weights not None, Py_ssize_t width, list kinds=None, double repeat=0.1):
    """The run of places within `width` that weighs most, the shortest and earliest of equals, as (first, last) indices.

    places are (start, end) in order; weights[k] is what place k adds. Of places of one kind (0 to 63) in a run the
    heaviest counts, and a `repeat` share of each: repeating one word does not make a stretch worth showing. Without
    kinds all differ. Raises ValueError when the lists differ in length or a kind is out of range.
    """
    cdef Py_ssize_t count = len(places), k, first = 0, last = 0
    cdef Place* all_places
    if len(weights) != count or (kinds is not None and len(kinds) != count):
        raise ValueError("places, weights and kinds differ in length")
    if count == 0:
        return 0, 0
    all_places = <Place*>PyMem_Malloc(count * sizeof(Place))
    if all_places == NULL:
        raise MemoryError
    try:
        for k in range(count):
            all_places[k].start, all_places[k].end = places[k]
            all_places[k].weight = weights[k]
            all_places[k].kind = kinds[k] if kinds is not None else -1
            if not -1 <= all_places[k].kind < KINDS or (kinds is not None and all_places[k].kind < 0):
                raise ValueError(f"a kind must be 0 to {KINDS - 1}, not {all_places[k].kind}")
        with nogil:
            heaviest_run(all_places, count, width, repeat, &first, &last)
        return first, last
    finally:
        PyMem_Free(all_places)

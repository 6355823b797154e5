"""Find the stretch of a text that shows most of a query: linear in the number of matches."""

cdef double REPEAT = 0.1  # share of its weight for which a word counts again in one stretch


cdef void heaviest_run(const Place* places, Py_ssize_t count, Py_ssize_t width, Py_ssize_t* first,
                       Py_ssize_t* last) noexcept nogil:
    """The run of places within `width` that weighs most, the shortest and earliest of equals: [first, last].

    Places are nearly in order. Of those of one kind (0 to KINDS - 1) in a run the heaviest counts, and a REPEAT share
    of each: repeating one word does not make a stretch worth showing.
    """
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
        extra = places[k].weight - heaviest[kind] if places[k].weight > heaviest[kind] else 0
        held[kind] += 1
        heaviest[kind] += extra
        total += REPEAT * places[k].weight + extra
        while left < k and places[k].end - places[left].start > width:
            kind = places[left].kind
            total -= REPEAT * places[left].weight
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

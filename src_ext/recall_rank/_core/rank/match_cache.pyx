"""The matches of passages that were read, for who comes back to a few of them."""

from cpython.mem cimport PyMem_RawFree, PyMem_RawRealloc
from libc.string cimport memcpy


cdef bint kept_add(Kept* kept, const unsigned char* first, const unsigned char* last, const Event* events,
                   Py_ssize_t count) noexcept nogil:
    """Keep the matches of the passage [first, last); False when there is no memory."""
    cdef void* grown
    if kept.passage_count == kept.passage_room:
        grown = PyMem_RawRealloc(kept.passages, (2 * kept.passage_room + 64) * sizeof(Passage))
        if grown == NULL:
            return False
        kept.passages = <Passage*>grown
        kept.passage_room = 2 * kept.passage_room + 64
    if kept.event_count + count > kept.event_room:
        grown = PyMem_RawRealloc(kept.events, (2 * kept.event_room + count + 256) * sizeof(Event))
        if grown == NULL:
            return False
        kept.events = <Event*>grown
        kept.event_room = 2 * kept.event_room + count + 256
    kept.passages[kept.passage_count] = Passage(first, last, kept.event_count, count)
    kept.passage_count += 1
    memcpy(kept.events + kept.event_count, events, count * sizeof(Event))
    kept.event_count += count
    return True


cdef const Passage* kept_find(const Kept* kept, const unsigned char* first, const unsigned char* last) noexcept nogil:
    """The passage at that address, NULL where it is not kept."""
    cdef Py_ssize_t k
    for k in range(kept.passage_count):
        if kept.passages[k].first == first and kept.passages[k].last == last:
            return kept.passages + k
    return NULL


cdef void kept_clear(Kept* kept) noexcept nogil:
    kept.passage_count = kept.event_count = 0


cdef void kept_free(Kept* kept) noexcept nogil:
    PyMem_RawFree(kept.passages)
    PyMem_RawFree(kept.events)

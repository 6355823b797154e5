"""Where a passage holds a query's words, and how well they stand there."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint64_t

from recall_rank._core.runtime.prefetch cimport ask_for_passage
from recall_rank._core.text.token_buffer cimport TokenBuffer, buffer_clear, buffer_free, buffer_init
from recall_rank._core.runtime.clock cimport rr_now
from recall_rank._core.rank.features cimport FEATURES, SLOTS, Asked, Event, measure_events
from recall_rank._core.rank.match_cache cimport Kept, Passage, kept_add, kept_clear, kept_find, kept_free
from recall_rank._core.rank.query_forms cimport (CUE, QueryForms, forms_add, forms_add_prefix, forms_free, forms_init,
                                            forms_match)
from recall_rank._core.rank.passage_matches cimport Spot
from recall_rank._core.text.tokens cimport tokenise


cdef class Matcher:
    """The forms in which a query's words may appear, and the measures of a passage.

    A query has up to 64 slots, one a word, each with a weight; a form covers `span` slots from `slot` on. What
    measure() has read is kept for spot(), which comes back to the best of it.
    """

    cdef QueryForms known
    cdef Asked asked
    cdef int cues                 # of the passage being read
    cdef list texts               # keeps what was read where it stands
    cdef Kept kept

    def __cinit__(self, weights, counted):
        cdef int k
        if not forms_init(&self.known):
            raise MemoryError
        self.texts = []
        if len(weights) != len(counted):
            raise ValueError("weights and counted differ in length")
        self.asked.slots = min(len(weights), SLOTS)
        for k in range(self.asked.slots):
            self.asked.weights[k] = weights[k]
            self.asked.counted[k] = bool(counted[k])
            self.asked.all_total += self.asked.weights[k]
            if self.asked.counted[k]:
                self.asked.total += self.asked.weights[k]

    def __dealloc__(self):
        forms_free(&self.known)
        kept_free(&self.kept)

    cdef void forget(self):
        """What was read may hold more than was looked for."""
        self.texts.clear()
        kept_clear(&self.kept)

    cpdef bint add(self, bytes form, int slot, int span, float similarity) except -1:
        """Let `form` stand for the slots [slot, slot + span); False when it is known already or there is no room."""
        if not 0 <= slot < self.asked.slots or not 0 < span <= self.asked.slots - slot:
            return False
        self.forget()
        return forms_add(&self.known, form, slot, span, similarity)

    def add_all(self, list forms not None, list prefixes not None):
        """add() each of `forms` and add_prefix() each of `prefixes`, in their order, as far as there is room."""
        for form, slot, span, similarity in forms:
            self.add(form, slot, span, similarity)
        for form, slot, similarity in prefixes:
            self.add_prefix(form, slot, similarity)

    def add_cue(self, bytes form not None):
        """Count `form` as a cue; False when it is a form of the query already or there is no room."""
        self.forget()
        return forms_add(&self.known, form, CUE, 1, 0)

    cpdef bint add_prefix(self, bytes form, int slot, float similarity) except -1:
        """Let every word that begins with `form` stand for `slot`, where no form of its own does."""
        if not 0 <= slot < self.asked.slots:
            return False
        self.forget()
        return forms_add_prefix(&self.known, form, slot, similarity)

    cdef Py_ssize_t events_of(self, TokenBuffer* buffer, Event* events) noexcept nogil:
        """Matches in order of position; `events` has room for every token."""
        cdef Py_ssize_t k, at, count = 0
        cdef Event event
        for k in range(buffer.count):
            if not forms_match(&self.known, buffer.items + k, buffer.forms + buffer.items[k].form, &event):
                continue
            if event.slot == CUE:
                self.cues += 1
                continue
            at = count
            # a joined form is read after its words: nearly sorted, so insertion is linear
            while at and events[at - 1].position > event.position:
                events[at] = events[at - 1]
                at -= 1
            events[at] = event
            count += 1
        return count

    def measure(self, const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
                const uint64_t[::1] ends not None, int width, float[:, ::1] out not None, int64_t deadline_ns=0):
        """Fill out f32[n, 11] with FEATURE_NAMES of the passages text[starts[k]:ends[k]]; how many before the deadline.

        The best stretch has at most `width` words; offsets count bytes from starts[k], cues words given to add_cue().
        O(tokens + matches). Not for two threads at once. deadline_ns is a time.monotonic_ns(), 0 for none; the
        clock is looked at before every passage.
        """
        cdef Py_ssize_t count = starts.shape[0], k, found, room = 0
        cdef const unsigned char* data = NULL
        cdef TokenBuffer buffer
        cdef Event* events = NULL
        cdef Py_ssize_t done = 0
        cdef bint failed = False
        if ends.shape[0] != count or out.shape[0] < count or out.shape[1] != FEATURES:
            raise ValueError("starts, ends and out do not fit together")
        for k in range(count):
            if starts[k] > ends[k] or ends[k] > <uint64_t>text.shape[0]:
                raise IndexError(f"no range {starts[k]}:{ends[k]} in {text.shape[0]} bytes")
        if width < 1:
            raise ValueError(f"width must be at least 1, not {width}")
        if count == 0:
            return 0
        if text.shape[0]:
            data = &text[0]
        self.texts.append(text)
        buffer_init(&buffer)
        buffer.wanted = &self.known.wanted
        with nogil:
            for k in range(count):
                if deadline_ns and rr_now() >= deadline_ns:
                    break
                done += 1
                buffer_clear(&buffer)
                ask_for_passage(data, &starts[0], &ends[0], count, k)
                tokenise(data + starts[k], ends[k] - starts[k], &buffer)
                if buffer.count > room:
                    PyMem_RawFree(events)
                    room = buffer.count * 2
                    events = <Event*>PyMem_RawCalloc(room, sizeof(Event))
                failed = buffer.failed or (events == NULL and room > 0)
                if failed:
                    break
                self.cues = 0
                found = self.events_of(&buffer, events)
                failed = found > 0 and not kept_add(&self.kept, data + starts[k], data + ends[k], events, found)
                if failed:
                    break
                measure_events(events, found, &self.asked, buffer.words, self.cues, width, &out[k, 0])
        PyMem_RawFree(events)
        buffer_free(&buffer)
        if failed:
            raise MemoryError
        return done

    cdef Event* read(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end,
                     Py_ssize_t* found) except NULL:
        """The matches in text[start:end], which the caller frees, and how many there are."""
        cdef TokenBuffer buffer
        cdef Event* events = NULL
        cdef bint failed
        if not 0 <= start <= end <= text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        buffer_init(&buffer)
        buffer.wanted = &self.known.wanted
        with nogil:
            if start < end:
                tokenise(&text[0] + start, end - start, &buffer)
            events = <Event*>PyMem_RawCalloc(buffer.count + 1, sizeof(Event))
            failed = buffer.failed or events == NULL
            found[0] = 0 if failed else self.events_of(&buffer, events)
        buffer_free(&buffer)
        if failed:
            PyMem_RawFree(events)
            raise MemoryError
        return events

    def events(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end):
        """The matches in text[start:end] in order: (start, end, slot, span, similarity, position).

        Offsets are bytes from `start`, positions count words.
        """
        cdef Py_ssize_t found = 0, k
        cdef Event* events = self.read(text, start, end, &found)
        try:
            return [(events[k].start, events[k].end, events[k].slot, events[k].span, events[k].similarity,
                     events[k].position) for k in range(found)]
        finally:
            PyMem_RawFree(events)

    def spot(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end, int label,
             Py_ssize_t width):
        """What of the query stands in text[start:end], and its heaviest stretch of at most `width` bytes: a Spot.

        `label` is the byte of the field at `start`.
        """
        cdef const Passage* passage
        cdef Event* own
        cdef Py_ssize_t found = 0
        cdef Spot spot = Spot.__new__(Spot)
        if not 0 <= start <= end <= text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        if not 0xF8 <= label <= 0xFF:
            raise ValueError(f"label must be 0xF8 to 0xFF, not {label}")
        spot.begin(text, start)
        passage = kept_find(&self.kept, &text[0] + start, &text[0] + end) if start < end else NULL
        if passage != NULL:
            spot.look(start, end, self.kept.events + passage.events, passage.count, &self.asked, label, width)
            return spot
        own = self.read(text, start, end, &found)
        try:
            spot.look(start, end, own, found, &self.asked, label, width)
            return spot
        finally:
            PyMem_RawFree(own)

"""Which forms stand for a query's words, and where a passage holds them."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawMalloc, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from recall_rank._core.buffer cimport (MAX_TERM, Token, TokenBuffer, Wanted, buffer_clear, buffer_free, buffer_init,
                                       form_hash, want, want_longer)
from recall_rank._core.clock cimport rr_now
from recall_rank._core.features cimport FEATURES, SLOTS, Asked, Event, measure_events
from recall_rank._core.kept cimport Kept, Passage, kept_add, kept_clear, kept_find, kept_free
from recall_rank._core.spot cimport Spot
from recall_rank._core.tokens cimport tokenise

cdef enum:
    MAX_FORMS = 2048     # forms a query may have
    FIRST_FORMS = 64     # forms there is room for before more is taken
    SPARSE = 4           # slots a form in the open-addressing table that numbers them
    PREFIXES = 64
    CUE = 255            # the slot of words that only say what kind of answer a passage holds


cdef struct Form:
    uint64_t hash
    float similarity
    uint8_t size
    uint8_t slot
    uint8_t span
    unsigned char[MAX_TERM] bytes


cdef struct Prefix:
    uint64_t head    # its first eight bytes
    uint64_t mask    # those of them that it has
    float similarity
    uint8_t size
    uint8_t slot
    unsigned char[MAX_TERM] bytes


cdef class Matcher:
    """The forms in which a query's words may appear, and the measures of a passage.

    A query has up to 64 slots, one a word, each with a weight; a form covers `span` slots from `slot` on. What
    measure() has read is kept for spot(), which comes back to the best of it.
    """

    cdef Form* forms
    cdef int form_count
    cdef int form_room            # a power of two
    cdef uint16_t* table          # SPARSE slots a form: 1 + its number, 0 where there is none
    cdef Prefix* prefixes
    cdef int prefix_count
    cdef uint8_t[256] begins
    cdef Wanted wanted
    cdef Asked asked
    cdef int cues                 # of the passage being read
    cdef list texts               # keeps what was read where it stands
    cdef Kept kept

    def __cinit__(self, weights, counted):
        cdef int k
        self.prefixes = <Prefix*>PyMem_RawMalloc(PREFIXES * sizeof(Prefix))
        if self.prefixes == NULL or not self.make_room(FIRST_FORMS):
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
        PyMem_RawFree(self.forms)
        PyMem_RawFree(self.table)
        PyMem_RawFree(self.prefixes)
        kept_free(&self.kept)

    cdef void forget(self):
        """What was read may hold more than was looked for."""
        self.texts.clear()
        kept_clear(&self.kept)

    cdef uint16_t* place(self, const unsigned char* data, int size, uint64_t hash) noexcept nogil:
        """The table slot of a form, or the empty one where it would go."""
        cdef uint64_t last = self.form_room * SPARSE - 1
        cdef uint64_t at = hash & last
        cdef Form* entry
        while self.table[at]:
            entry = self.forms + self.table[at] - 1
            if entry.hash == hash and entry.size == size and memcmp(entry.bytes, data, size) == 0:
                break
            at = (at + 1) & last
        return self.table + at

    cdef bint make_room(self, int room) noexcept nogil:
        """Have room for so many forms, and number those there are anew; False without memory."""
        cdef Form* forms = <Form*>PyMem_RawRealloc(self.forms, room * sizeof(Form))
        cdef uint16_t* table = <uint16_t*>PyMem_RawCalloc(room * SPARSE, sizeof(uint16_t))
        cdef int k
        if forms != NULL:
            self.forms = forms
        if forms == NULL or table == NULL:
            PyMem_RawFree(table)
            return False
        PyMem_RawFree(self.table)
        self.table = table
        self.form_room = room
        for k in range(self.form_count):
            self.place(forms[k].bytes, forms[k].size, forms[k].hash)[0] = k + 1
        return True

    cpdef bint add(self, bytes form, int slot, int span, float similarity) except -1:
        """Let `form` stand for the slots [slot, slot + span); False when it is known already or there is no room."""
        if not 0 <= slot < self.asked.slots or not 0 < span <= self.asked.slots - slot:
            return False
        return self.enter(form, slot, span, similarity)

    def add_all(self, list forms not None, list prefixes not None):
        """add() each of `forms` and add_prefix() each of `prefixes`, in their order, as far as there is room."""
        for form, slot, span, similarity in forms:
            self.add(form, slot, span, similarity)
        for form, slot, similarity in prefixes:
            self.add_prefix(form, slot, similarity)

    cdef bint enter(self, bytes form, int slot, int span, float similarity) except -1:
        cdef unsigned char padded[MAX_TERM + 8]
        cdef int size = len(form)
        cdef Form* entry
        cdef uint16_t* slot_of
        cdef uint64_t hash
        if not 0 < size <= MAX_TERM:
            return False
        memset(padded, 0, sizeof(padded))
        memcpy(padded, <const unsigned char*>form, size)
        hash = form_hash(padded, size)
        slot_of = self.place(padded, size, hash)
        if slot_of[0] or self.form_count == MAX_FORMS:
            return False
        if self.form_count == self.form_room:
            if not self.make_room(2 * self.form_room):
                raise MemoryError
            slot_of = self.place(padded, size, hash)
        entry = self.forms + self.form_count
        self.form_count += 1
        self.forget()
        slot_of[0] = self.form_count
        entry.hash = hash
        entry.size = size
        entry.slot = slot
        entry.span = span
        entry.similarity = similarity
        memcpy(entry.bytes, padded, size)
        want(&self.wanted, padded, size)
        return True

    def add_cue(self, bytes form not None):
        """Count `form` as a cue; False when it is a form of the query already or there is no room."""
        return self.enter(form, CUE, 1, 0)

    cpdef bint add_prefix(self, bytes form, int slot, float similarity) except -1:
        """Let every word that begins with `form` stand for `slot`, where no form of its own does."""
        cdef int size = len(form)
        cdef Prefix* entry
        if not 0 < size <= MAX_TERM or not 0 <= slot < self.asked.slots or self.prefix_count == PREFIXES:
            return False
        self.forget()
        entry = self.prefixes + self.prefix_count
        entry.size = size
        entry.slot = slot
        entry.similarity = similarity
        memset(entry.bytes, 0, sizeof(entry.bytes))
        memset(entry.bytes, 0xFF, min(size, <int>sizeof(uint64_t)))
        memcpy(&entry.mask, entry.bytes, sizeof(uint64_t))
        memset(entry.bytes, 0, sizeof(uint64_t))
        memcpy(entry.bytes, <const unsigned char*>form, size)
        memcpy(&entry.head, entry.bytes, sizeof(uint64_t))
        self.begins[entry.bytes[0]] = 1
        want_longer(&self.wanted, entry.bytes, size)
        self.prefix_count += 1
        return True

    cdef bint match(self, const Token* token, const unsigned char* form, Event* event) noexcept nogil:
        cdef uint16_t number = self.place(form, token.size, token.hash)[0]
        cdef Form* entry
        cdef const Prefix* prefix
        cdef uint64_t head
        cdef int k
        event.position = token.position
        event.words = token.span
        event.start = token.start
        event.end = token.end
        if number:
            entry = self.forms + number - 1
            if entry.slot == CUE:
                self.cues += 1
                return False
            event.slot = entry.slot
            event.span = entry.span
            event.similarity = entry.similarity
            return True
        if self.begins[form[0]]:
            memcpy(&head, form, sizeof(head))  # of a padded form
            for k in range(self.prefix_count):
                prefix = self.prefixes + k
                if (head & prefix.mask) == prefix.head and token.size > prefix.size and memcmp(
                        form, prefix.bytes, prefix.size) == 0:
                    event.slot = prefix.slot
                    event.span = 1
                    event.similarity = prefix.similarity
                    return True
        return False

    cdef Py_ssize_t events_of(self, TokenBuffer* buffer, Event* events) noexcept nogil:
        """Matches in order of position; `events` has room for every token."""
        cdef Py_ssize_t k, at, count = 0
        cdef Event event
        for k in range(buffer.count):
            if not self.match(buffer.items + k, buffer.forms + buffer.items[k].form, &event):
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
        buffer.wanted = &self.wanted
        with nogil:
            for k in range(count):
                if deadline_ns and rr_now() >= deadline_ns:
                    break
                done += 1
                buffer_clear(&buffer)
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

    def events(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end):
        """The matches in text[start:end] in order: (start, end, slot, span, similarity, position).

        Offsets are bytes from `start`, positions count words.
        """
        cdef TokenBuffer buffer
        cdef Event* events = NULL
        cdef Py_ssize_t found = 0, k
        if not 0 <= start <= end <= text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        if start == end:
            return []
        buffer_init(&buffer)
        buffer.wanted = &self.wanted
        try:
            with nogil:
                tokenise(&text[0] + start, end - start, &buffer)
                events = <Event*>PyMem_RawCalloc(buffer.count + 1, sizeof(Event))
                if events != NULL:
                    found = self.events_of(&buffer, events)
            if events == NULL or buffer.failed:
                raise MemoryError
            return [(events[k].start, events[k].end, events[k].slot, events[k].span, events[k].similarity,
                     events[k].position) for k in range(found)]
        finally:
            PyMem_RawFree(events)
            buffer_free(&buffer)

    def spot(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end, int label,
             Py_ssize_t width):
        """What of the query stands in text[start:end], and its heaviest stretch of at most `width` bytes: a Spot.

        `label` is the byte of the field at `start`.
        """
        cdef TokenBuffer buffer
        cdef const Passage* passage
        cdef Event* own = NULL
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
        buffer_init(&buffer)
        buffer.wanted = &self.wanted
        try:
            with nogil:
                if start < end:
                    tokenise(&text[0] + start, end - start, &buffer)
                own = <Event*>PyMem_RawCalloc(buffer.count + 1, sizeof(Event))
                if own != NULL:
                    found = self.events_of(&buffer, own)
            if own == NULL or buffer.failed:
                raise MemoryError
            spot.look(start, end, own, found, &self.asked, label, width)
            return spot
        finally:
            PyMem_RawFree(own)
            buffer_free(&buffer)

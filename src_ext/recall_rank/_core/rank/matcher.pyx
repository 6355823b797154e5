"""Matcher: finds where the words of a query match in passages; features for many passages, positions for a few."""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from recall_rank._core.rank.features cimport FEATURES, NAMES, SLOTS, FormMatch, measure_matches
from recall_rank._core.rank.passage_matches cimport PassageMatches
from recall_rank._core.rank.passage_names cimport QueryName
from recall_rank._core.rank.query_forms cimport (CUE, forms_add, forms_add_prefix, forms_free, forms_init,
                                                 forms_match)
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.runtime.prefetch cimport prefetch_passage
from recall_rank._core.text.token_buffer cimport TokenBuffer, buffer_clear, buffer_free, buffer_init
from recall_rank._core.text.tokens cimport tokenise


cdef bint cache_add(MatchCache* cache, const unsigned char* first, const unsigned char* last,
                    const FormMatch* matches, Py_ssize_t count) noexcept nogil:
    """Add the `count` matches of the passage at addresses [first, last) to the cache; return False when memory ran out.
    """
    cdef void* grown
    if cache.passage_count == cache.passage_room:
        grown = PyMem_RawRealloc(cache.passages, (2 * cache.passage_room + 64) * sizeof(CachedPassage))
        if grown == NULL:
            return False
        cache.passages = <CachedPassage*>grown
        cache.passage_room = 2 * cache.passage_room + 64
    if cache.match_count + count > cache.match_room:
        grown = PyMem_RawRealloc(cache.matches, (2 * cache.match_room + count + 256) * sizeof(FormMatch))
        if grown == NULL:
            return False
        cache.matches = <FormMatch*>grown
        cache.match_room = 2 * cache.match_room + count + 256
    cache.passages[cache.passage_count] = CachedPassage(first, last, cache.match_count, count)
    cache.passage_count += 1
    memcpy(cache.matches + cache.match_count, matches, count * sizeof(FormMatch))
    cache.match_count += count
    return True


cdef const CachedPassage* cache_find(const MatchCache* cache, const unsigned char* first,
                                     const unsigned char* last) noexcept nogil:
    """Return the cached passage at addresses [first, last), or NULL."""
    cdef Py_ssize_t k
    for k in range(cache.passage_count):
        if cache.passages[k].first == first and cache.passages[k].last == last:
            return cache.passages + k
    return NULL


cdef class Matcher:
    """Matcher(weights, counted): finds the words of a query in passages. Used by one thread at a time.

    A query has up to 64 slots, one for each of its first words. Slot k has the weight weights[k], and counted[k] tells
    whether it counts for coverage (stop words do not). A form is a normalised word that matches the slots [slot, slot +
    span). measure() caches the matches of the passages it reads, because matches() is called for the best of them
    later. Raises ValueError if weights and counted differ in length.
    """

    def __cinit__(self, weights, counted):
        cdef int k
        if not forms_init(&self.forms):
            raise MemoryError
        self.texts = []
        if len(weights) != len(counted):
            raise ValueError("weights and counted differ in length")
        self.query.slots = min(len(weights), SLOTS)
        for k in range(self.query.slots):
            self.query.weights[k] = weights[k]
            self.query.counted[k] = bool(counted[k])
            self.query.all_total += self.query.weights[k]
            if self.query.counted[k]:
                self.query.total += self.query.weights[k]

    def __dealloc__(self):
        forms_free(&self.forms)
        PyMem_RawFree(self.cache.passages)
        PyMem_RawFree(self.cache.matches)

    cdef void forget(self):
        """Empty the cache of matches; needed when a form is added, since passages may then have more matches."""
        self.texts.clear()
        self.cache.passage_count = self.cache.match_count = 0

    cpdef bint add(self, bytes form, int slot, int span, float similarity) except -1:
        """Let `form` match the words [slot, slot + span) of the query with `similarity`, 0 to 1; return True.

        Return False for a known form, slots that do not exist, and a form over a limit of length or number.
        """
        if not 0 <= slot < self.query.slots or not 0 < span <= self.query.slots - slot:
            return False
        self.forget()
        return forms_add(&self.forms, form, slot, span, similarity)

    def add_all(self, list forms not None, list prefixes not None):
        """Call add() for each of `forms` and add_prefix() for each of `prefixes`, in their order.

        A form (text, slot, span, similarity) matches the query's words [slot, slot + span), a prefix (text, slot,
        similarity) the word number slot; similarity is 0 to 1.
        """
        for form, slot, span, similarity in forms:
            self.add(form, slot, span, similarity)
        for form, slot, similarity in prefixes:
            self.add_prefix(form, slot, similarity)

    def add_name(self, int slot, int span):
        """Let the words [slot, slot + span) be one name: they are evidence only where all stand next to each other.

        The feature `held` expresses it. Return True; False for slots that do not exist, and over the limit of 16 names.
        """
        if not 0 <= slot < self.query.slots or not 0 < span <= self.query.slots - slot or self.query.names == NAMES:
            return False
        self.query.name_first[self.query.names] = slot
        self.query.name_last[self.query.names] = slot + span
        self.query.names += 1
        return True

    def add_cue(self, bytes form not None):
        """Count `form` as a cue, a word that shows the kind of answer that a passage holds; return True.

        Return False for a known form, and for one over a limit of length or number.
        """
        self.forget()
        return forms_add(&self.forms, form, CUE, 1, 0)

    cpdef bint add_prefix(self, bytes form, int slot, float similarity) except -1:
        """Let every longer word that begins with `form`, and is not itself a form, match the word `slot` of the query.

        Return True; False for a slot that does not exist, and over a limit of length or number.
        """
        if not 0 <= slot < self.query.slots:
            return False
        self.forget()
        return forms_add_prefix(&self.forms, form, slot, similarity)

    cdef Py_ssize_t match_tokens(self, TokenBuffer* buffer, FormMatch* matches) noexcept nogil:
        """Write the matches of the tokens to `matches`, in order of position, and return their number.

        `matches` must have room for every token. Also adds the number of cue words among the tokens to `cues`.
        """
        cdef Py_ssize_t k, at, count = 0
        cdef FormMatch match
        for k in range(buffer.count):
            if not forms_match(&self.forms, buffer.items + k, buffer.forms + buffer.items[k].form, &match):
                continue
            if match.slot == CUE:
                self.cues += 1
                continue
            at = count
            # the joined form of a compound is read after its words: nearly sorted, so insertion is linear
            while at and matches[at - 1].position > match.position:
                matches[at] = matches[at - 1]
                at -= 1
            matches[at] = match
            count += 1
        return count

    def measure(self, const unsigned char[::1] text not None, const uint64_t[::1] starts not None,
                const uint64_t[::1] ends not None, int width, float[:, ::1] out not None, int64_t deadline_ns=0):
        """Write the features of the passages text[starts[k]:ends[k]] to the rows of out, f32[>= n, 12].

        Columns are in the order of FEATURE_NAMES; starts and ends are u64[n] byte offsets. Returns how many passages
        were read before deadline_ns, a time.monotonic_ns(), 0 for none; the clock is read before every passage. The
        densest window has at most `width` words. Raises IndexError for a passage outside of the text and ValueError for
        arrays of wrong shape. O(tokens + matches), without the GIL.
        """
        if ends.shape[0] != starts.shape[0] or out.shape[0] < starts.shape[0] or out.shape[1] != FEATURES:
            raise ValueError("starts, ends and out do not fit together")
        return self.measure_passages(text, starts, ends, width, &out[0, 0] if out.shape[0] else NULL, deadline_ns)

    cdef Py_ssize_t measure_passages(self, const unsigned char[::1] text, const uint64_t[::1] starts,
                                     const uint64_t[::1] ends, int width, float* out,
                                     int64_t deadline_ns) except -1:
        """Write the features of the passages text[starts[k]:ends[k]] to `out`, FEATURES numbers for each.

        Return how many were read before the deadline; `width`, deadline_ns and the errors are those of measure(). The
        matches are cached.
        """
        cdef Py_ssize_t count = starts.shape[0], k, found, room = 0
        cdef const unsigned char* data = NULL
        cdef TokenBuffer buffer
        cdef FormMatch* matches = NULL
        cdef Py_ssize_t done = 0
        cdef bint failed = False
        if ends.shape[0] != count:
            raise ValueError("starts and ends differ in length")
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
        buffer.term_filter = &self.forms.term_filter
        with nogil:
            for k in range(count):
                if deadline_ns and rr_monotonic_ns() >= deadline_ns:
                    break
                done += 1
                buffer_clear(&buffer)
                prefetch_passage(data, &starts[0], &ends[0], count, k)
                tokenise(data + starts[k], ends[k] - starts[k], &buffer)
                if buffer.count > room:
                    PyMem_RawFree(matches)
                    room = buffer.count * 2
                    matches = <FormMatch*>PyMem_RawCalloc(room, sizeof(FormMatch))
                failed = buffer.failed or (matches == NULL and room > 0)
                if failed:
                    break
                self.cues = 0
                found = self.match_tokens(&buffer, matches)
                failed = found > 0 and not cache_add(&self.cache, data + starts[k], data + ends[k], matches, found)
                if failed:
                    break
                measure_matches(matches, found, &self.query, buffer.words, self.cues, width,
                                out + k * FEATURES)
        PyMem_RawFree(matches)
        buffer_free(&buffer)
        if failed:
            raise MemoryError
        return done

    cdef FormMatch* read(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end,
                         Py_ssize_t* found) except NULL:
        """Return the matches in text[start:end], an array of found[0] elements that the caller frees (PyMem_RawFree).

        Raises IndexError for a range outside of the text.
        """
        cdef TokenBuffer buffer
        cdef FormMatch* matches = NULL
        cdef bint failed
        if not 0 <= start <= end <= text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        buffer_init(&buffer)
        buffer.term_filter = &self.forms.term_filter
        with nogil:
            if start < end:
                tokenise(&text[0] + start, end - start, &buffer)
            matches = <FormMatch*>PyMem_RawCalloc(buffer.count + 1, sizeof(FormMatch))
            failed = buffer.failed or matches == NULL
            found[0] = 0 if failed else self.match_tokens(&buffer, matches)
        buffer_free(&buffer)
        if failed:
            PyMem_RawFree(matches)
            raise MemoryError
        return matches

    def form_matches(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end):
        """Return the matches in text[start:end], in order of position, as a list of tuples.

        A tuple is (start, end, slot, span, similarity, position). start and end are bytes from the start of the range;
        [slot, slot + span) are the query's words that match; similarity is 0 to 1; position counts the words before the
        match.
        """
        cdef Py_ssize_t found = 0, k
        cdef FormMatch* matches = self.read(text, start, end, &found)
        try:
            return [(matches[k].start, matches[k].end, matches[k].slot, matches[k].span, matches[k].similarity,
                     matches[k].position) for k in range(found)]
        finally:
            PyMem_RawFree(matches)

    def matches(self, const unsigned char[::1] text not None, Py_ssize_t start, Py_ssize_t end, int label,
                Py_ssize_t width):
        """Return the PassageMatches of text[start:end]; its best span, the densest matches, has at most `width` bytes.

        `label`, 0xF8 to 0xFF, is the byte that labels the field in which `start` lies. Raises IndexError for a range
        outside of the text, ValueError for another label. Uses cached matches for a passage that measure() has read.
        """
        cdef const FormMatch* found
        cdef FormMatch* own = NULL
        cdef Py_ssize_t count = 0
        cdef PassageMatches result = PassageMatches.__new__(PassageMatches)
        if not 0 <= start <= end <= text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        if not 0xF8 <= label <= 0xFF:
            raise ValueError(f"label must be 0xF8 to 0xFF, not {label}")
        result.begin(text, start)
        found = self.matches_of(text, start, end, &count, &own)
        try:
            result.fill(start, end, found, count, &self.query, label, width)
            return result
        finally:
            PyMem_RawFree(own)

    cdef const FormMatch* matches_of(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end,
                                     Py_ssize_t* count, FormMatch** own) except NULL:
        """Return the matches in text[start:end], an array of count[0] elements.

        They are the cached ones of a passage that was measured; else own[0], which the caller frees (PyMem_RawFree).
        Raises IndexError for a range outside of the text.
        """
        cdef const CachedPassage* passage = NULL
        if 0 <= start < end <= text.shape[0]:
            passage = cache_find(&self.cache, &text[0] + start, &text[0] + end)
        if passage != NULL and passage.count:
            count[0] = passage.count
            return self.cache.matches + passage.matches
        own[0] = self.read(text, start, end, count)
        return own[0]

    cdef list names(self, const unsigned char[::1] text, Py_ssize_t start, Py_ssize_t end, list wanted):
        """Return for each QueryName in `wanted` the names at its matches in the passage text[start:end], lists of str.

        Raises IndexError for a range outside of the text. Uses cached matches for a passage that was measured.
        """
        cdef const FormMatch* found
        cdef FormMatch* own = NULL
        cdef Py_ssize_t count = 0
        cdef QueryName name
        found = self.matches_of(text, start, end, &count, &own)
        try:
            return [name.names_at(&text[start], end - start, found, count) if count else [] for name in wanted]
        finally:
            PyMem_RawFree(own)

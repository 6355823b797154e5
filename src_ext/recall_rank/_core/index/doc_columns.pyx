"""The columns of documents and of their parts, messages and sessions, as kernels read them."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t


cdef class DocColumns:
    """Borrowed columns that relate documents to parts, messages and sessions; they must not change.

    A document is a passage of a part, and a part a piece of a message. The columns are arrays of these values:
    doc_part u32[docs], doc_words u16[docs], doc_class u8[docs], part_message u32[parts],
    message_session u32[messages], message_time i64[messages], session_talk u8[sessions] (model.Talk),
    message_asked u32[messages] (the user's message in its session that a message answers, or the message itself;
    optional). Documents ascend by part, parts by message, messages by session. The constructor checks that, and that
    every number is in range, in O(documents + parts + messages); it raises ValueError otherwise, or when columns
    differ in length.
    """

    def __cinit__(self, doc_part not None, doc_words not None, doc_class not None, part_message not None,
                  message_session not None, message_time not None, session_talk not None, message_asked=None):
        cdef Py_ssize_t k, first = 0
        cdef bint good = True
        self.doc_part = doc_part
        self.doc_words = doc_words
        self.doc_class = doc_class
        self.part_message = part_message
        self.message_session = message_session
        self.message_time = message_time
        self.session_talk = session_talk
        self.docs = self.doc_part.shape[0]
        self.parts = self.part_message.shape[0]
        self.messages = self.message_session.shape[0]
        self.sessions = self.session_talk.shape[0]
        self.recent_weights = ()
        self.has_asked = message_asked is not None
        if self.has_asked:
            self.message_asked = message_asked
            if self.message_asked.shape[0] != self.messages:
                raise ValueError("the message columns differ in length")
        if self.doc_words.shape[0] != self.docs or self.doc_class.shape[0] != self.docs:
            raise ValueError("the document columns differ in length")
        if self.message_time.shape[0] != self.messages:
            raise ValueError("the message columns differ in length")
        if self.messages > MESSAGE_BITS:
            raise ValueError(f"a segment has at most {MESSAGE_BITS} messages")
        with nogil:
            for k in range(self.docs):
                good = good and self.doc_part[k] < self.parts and self.doc_class[k] < CLASSES
                good = good and (k == 0 or self.doc_part[k - 1] <= self.doc_part[k])
            for k in range(self.parts):
                good = good and self.part_message[k] < self.messages
                good = good and (k == 0 or self.part_message[k - 1] <= self.part_message[k])
            for k in range(self.messages):
                good = good and self.message_session[k] < self.sessions
                good = good and (k == 0 or self.message_session[k - 1] <= self.message_session[k])
                if k and self.message_session[k - 1] != self.message_session[k]:
                    first = k
                good = good and (not self.has_asked or first <= self.message_asked[k] <= k)
                self.most_messages = max(self.most_messages, k + 1 - first)
            for k in range(self.sessions):
                good = good and self.session_talk[k] < TALKS
        if not good:
            raise ValueError("a column points outside the segment or is out of order")

    def averages(self, eligible=None):
        """Return (documents, words): the number of eligible documents, and the sum of their words.

        `eligible` is u8[docs], or None for all documents, whose sum is cached. Raises ValueError for another length.
        O(documents).
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef Py_ssize_t k
        cdef uint64_t count = 0, words = 0
        if eligible is None and self.has_word_count:
            return self.docs, self.word_count
        if eligible is not None:
            view = eligible
            if view.shape[0] != self.docs:
                raise ValueError("eligible must have one byte a document")
            if self.docs:
                mask = &view[0]
        with nogil:
            for k in range(self.docs):
                if mask == NULL or mask[k]:
                    count += 1
                    words += self.doc_words[k]
        if eligible is None:
            self.word_count = words
            self.has_word_count = True
        return count, words

    cdef object doc_positions(self):
        """Return u32[docs + 1], a bytearray: each document's message number, with the flags IS_TITLE and SAME_PART.

        One read for each document replaces three; the last element is unused. Computed by the first call in
        O(documents) and cached; read-only.
        """
        cdef Py_ssize_t k
        cdef uint32_t* position
        if self.positions is not None:
            return self.positions
        buffer = bytearray((self.docs + 1) * sizeof(uint32_t))
        position = <uint32_t*>PyByteArray_AS_STRING(buffer)
        with nogil:
            for k in range(self.docs):
                position[k] = self.part_message[self.doc_part[k]]
                if k and self.doc_part[k - 1] == self.doc_part[k]:
                    position[k] |= SAME_PART
                if self.doc_class[k] == TITLE:
                    position[k] |= IS_TITLE
        self.positions = buffer
        return buffer

    cdef object shape_weights(self, const float[:, ::1] norms, const float[::1] class_weights):
        """Return the BM25 factors of each shape, that is class and number of words: ShapeWeight[CLASSES * MAX_WORDS].

        They are a bytearray, read-only, indexed by the numbers of doc_shapes(). norms is f32[CLASSES, MAX_WORDS],
        class_weights f32[CLASSES]. The results for the last two pairs of arguments are cached, because a search
        alternates between two.
        """
        cdef Py_ssize_t kind, words
        cdef ShapeWeight* rows
        cdef uintptr_t address = <uintptr_t>&norms[0, 0]
        classes = (<const char*>&class_weights[0])[:CLASSES * sizeof(float)]
        for known in self.recent_weights:
            if known[0] == address and known[1] == classes:
                return known[2]
        table = bytearray(CLASSES * MAX_WORDS * sizeof(ShapeWeight))
        rows = <ShapeWeight*>PyByteArray_AS_STRING(table)
        for kind in range(CLASSES):
            for words in range(MAX_WORDS):
                rows[kind * MAX_WORDS + words].norm = norms[kind, words]
                rows[kind * MAX_WORDS + words].weight = class_weights[kind]
        # the reference to `norms` keeps its address from being reused
        self.recent_weights = ((address, classes, table, norms), *self.recent_weights[:1])
        return table

    cdef object doc_shapes(self):
        """Return the shape of each document, class * MAX_WORDS + min(words, MAX_WORDS - 1): u16[docs + 1], a bytearray.

        The shape is all that the score depends on besides frequencies; the last element is unused. Its class is that of
        the document, but for some prose it is ANSWER or LOG, see derive_classes(). Computed by the first call in
        O(documents) and cached; read-only.
        """
        cdef Py_ssize_t k
        cdef uint16_t words
        cdef uint16_t* shape
        if self.shapes is not None:
            return self.shapes
        buffer = bytearray((self.docs + 1) * sizeof(uint16_t))
        shape = <uint16_t*>PyByteArray_AS_STRING(buffer)
        with nogil:
            for k in range(self.docs):
                words = self.doc_words[k]
                shape[k] = self.doc_class[k] * MAX_WORDS + (words if words < MAX_WORDS else MAX_WORDS - 1)
            if self.has_asked:
                self.derive_classes(shape)
        self.shapes = buffer
        return buffer

    cdef void derive_classes(self, uint16_t* shapes) noexcept nogil:
        """Change the class PROSE in `shapes` to LOG in parts of more than MOST_PROSE passages, to ANSWER in the last
        other part of each turn.

        A turn is the messages that answer one message of a person. Prose of subagents is treated in the same way.
        """
        cdef Py_ssize_t k, first, last = self.docs
        cdef uint32_t asked, turn = MESSAGE_BITS
        cdef bint answered = False
        cdef int kind
        while last:  # one part after the other, from the last on
            first = last - 1
            while first and self.doc_part[first - 1] == self.doc_part[last - 1]:
                first -= 1
            asked = self.message_asked[self.part_message[self.doc_part[first]]]
            answered = answered and asked == turn
            turn = asked
            if self.doc_class[first] & KIND_BITS == PROSE:
                kind = LOG if last - first > MOST_PROSE else PROSE if answered else ANSWER
                answered = answered or kind == ANSWER
                for k in range(first, last):
                    shapes[k] += (kind - PROSE) * MAX_WORDS
            last = first

    def docs_in(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, eligible=None):
        """Return how many eligible documents have a message time, in ms, in one of the ranges [starts[k], ends[k]).

        `eligible` is u8[docs] or None for all; starts and ends are i64[ranges]. Raises ValueError if lengths differ.
        O(documents * ranges).
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef Py_ssize_t doc, k, ranges = starts.shape[0], found = 0
        cdef int64_t time
        if eligible is not None:
            view = eligible
            if view.shape[0] != self.docs:
                raise ValueError("eligible must have one byte a document")
            if self.docs:
                mask = &view[0]
        if ends.shape[0] != ranges:
            raise ValueError("starts and ends differ in length")
        with nogil:
            for doc in range(self.docs):
                if mask != NULL and not mask[doc]:
                    continue
                time = self.message_time[self.part_message[self.doc_part[doc]]]
                for k in range(ranges):
                    if starts[k] <= time < ends[k]:
                        found += 1
                        break
        return found

    def sessions_of(self, list parts not None):
        """Return a list of the session number of each of `parts`. Raises IndexError for a part that does not exist."""
        return [self.message_session[self.message_of(part)] for part in parts]

    def times_of(self, list parts not None):
        """Return a list with the time of the message of each of `parts`, ms since 1970, 0 where it is unknown.

        Raises IndexError for a part that does not exist.
        """
        return [self.message_time[self.message_of(part)] for part in parts]

    cdef uint32_t message_of(self, Py_ssize_t part) except? 0xFFFFFFFFU:
        """Return the message number of a part. Raises IndexError for a part that does not exist."""
        if not 0 <= part < self.parts:
            raise IndexError(part)
        return self.part_message[part]

    def time_span(self):
        """Return (oldest, newest), the least and the greatest known message time in ms since 1970; 0 if none is known.

        Computed by the first call in O(messages) and cached.
        """
        cdef Py_ssize_t k
        cdef int64_t oldest = 0, newest = 0, time
        if self.has_time_span:
            return self.oldest, self.newest
        with nogil:
            for k in range(self.messages):
                time = self.message_time[k]
                if time > newest:
                    newest = time
                if time > 0 and (oldest == 0 or time < oldest):
                    oldest = time
        self.oldest = oldest
        self.newest = newest
        self.has_time_span = True
        return oldest, newest

"""The columns that describe documents: their part, message and session, time, length and class."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t, uintptr_t


cdef class DocColumns:
    """The columns that describe documents. They are borrowed, range-checked once, and must not change.

    doc_part u32[docs], doc_words u16[docs], doc_class u8[docs], part_message u32[parts], message_session
    u32[messages], message_time i64[messages], session_talk u8[sessions] (model.Talk), message_asked u32[messages],
    optional (the message of the user that a message answers; itself when there is none). Parts, messages and sessions
    are numbered in the order of their documents.
    """

    def __cinit__(self, doc_part not None, doc_words not None, doc_class not None, part_message not None,
                  message_session not None, message_time not None, session_talk not None, message_asked=None):
        cdef Py_ssize_t k
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
        self.made = ()
        self.has_asked = message_asked is not None
        if self.has_asked:
            self.message_asked = message_asked
            if self.message_asked.shape[0] != self.messages:
                raise ValueError("the message columns differ in length")
        if self.doc_words.shape[0] != self.docs or self.doc_class.shape[0] != self.docs:
            raise ValueError("the document columns differ in length")
        if self.message_time.shape[0] != self.messages:
            raise ValueError("the message columns differ in length")
        if self.messages > MESSAGE:
            raise ValueError(f"a segment has at most {MESSAGE} messages")
        self.ordered = self.asked_inside = True
        with nogil:
            for k in range(self.docs):
                good = good and self.doc_part[k] < self.parts and self.doc_class[k] < CLASSES
                good = good and (k == 0 or self.doc_part[k - 1] <= self.doc_part[k])
            for k in range(self.parts):
                good = good and self.part_message[k] < self.messages
                good = good and (k == 0 or self.part_message[k - 1] <= self.part_message[k])
            for k in range(self.messages):
                good = good and self.message_session[k] < self.sessions
                self.ordered = self.ordered and (k == 0 or self.message_session[k - 1] <= self.message_session[k])
                if self.has_asked:
                    good = good and self.message_asked[k] <= k
                    if self.message_asked[k] <= k:
                        self.asked_inside = (self.asked_inside
                                             and self.message_session[self.message_asked[k]] == self.message_session[k])
            for k in range(self.sessions):
                good = good and self.session_talk[k] < TALKS
        if not good:
            raise ValueError("a column points outside the segment or is out of order")

    def averages(self, eligible=None):
        """(number of eligible documents, number of their words); `eligible` is u8[docs], or None for all, whose
        count is cached.
        """
        cdef const uint8_t[::1] view
        cdef const uint8_t* mask = NULL
        cdef Py_ssize_t k
        cdef uint64_t count = 0, words = 0
        if eligible is None and self.counted:
            return self.docs, self.all_words
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
            self.all_words = words
            self.counted = True
        return count, words

    cdef object doc_places(self):
        """For every document its message number with the flags IS_TITLE and GOES_ON, u32[docs + 1].

        The bytearray is cached and must not be changed. O(documents) for the first call.
        """
        cdef Py_ssize_t k
        cdef uint32_t* place
        if self.places is not None:
            return self.places
        made = bytearray((self.docs + 1) * sizeof(uint32_t))
        place = <uint32_t*>PyByteArray_AS_STRING(made)
        with nogil:
            for k in range(self.docs):
                place[k] = self.part_message[self.doc_part[k]]
                if k and self.doc_part[k - 1] == self.doc_part[k]:
                    place[k] |= GOES_ON
                if self.doc_class[k] == TITLE:
                    place[k] |= IS_TITLE
        self.places = made
        return made

    cdef object worths(self, const float[:, ::1] norms, const float[::1] class_weights):
        """The norm and weight of every document shape (class and length), in a bytearray that must not be changed.

        The last two results are cached, since queries with two kinds of weights may alternate.
        """
        cdef Py_ssize_t kind, words
        cdef Worth* worth
        cdef uintptr_t place = <uintptr_t>&norms[0, 0]
        classes = (<const char*>&class_weights[0])[:CLASSES * sizeof(float)]
        for known in self.made:
            if known[0] == place and known[1] == classes:
                return known[2]
        made = bytearray(CLASSES * LONGEST * sizeof(Worth))
        worth = <Worth*>PyByteArray_AS_STRING(made)
        for kind in range(CLASSES):
            for words in range(LONGEST):
                worth[kind * LONGEST + words].norm = norms[kind, words]
                worth[kind * LONGEST + words].weight = class_weights[kind]
        # the norms are kept alive, so that no other array gets their address
        self.made = ((place, classes, made, norms), *self.made[:1])
        return made

    cdef object doc_shapes(self):
        """The shape of every document, u16[docs + 1]: class * LONGEST + number of words, which is limited to LONGEST -
        1.

        The bytearray is cached and must not be changed. O(documents) for the first call.
        """
        cdef Py_ssize_t k
        cdef uint16_t words
        cdef uint16_t* shape
        if self.shapes is not None:
            return self.shapes
        made = bytearray((self.docs + 1) * sizeof(uint16_t))
        shape = <uint16_t*>PyByteArray_AS_STRING(made)
        with nogil:
            for k in range(self.docs):
                words = self.doc_words[k]
                shape[k] = self.doc_class[k] * LONGEST + (words if words < LONGEST else LONGEST - 1)
        self.shapes = made
        return made

    def docs_in(self, const int64_t[::1] starts not None, const int64_t[::1] ends not None, eligible=None):
        """The number of eligible documents whose message has a time in one of [starts[k], ends[k]), in ms."""
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
        """The session number of each part. Raises IndexError for a part that does not exist."""
        return [self.message_session[self.message_of(part)] for part in parts]

    def times_of(self, list parts not None):
        """The time of each part's message in ms. Raises IndexError for a part that does not exist."""
        return [self.message_time[self.message_of(part)] for part in parts]

    cdef uint32_t message_of(self, Py_ssize_t part) except? 0xFFFFFFFFU:
        if not 0 <= part < self.parts:
            raise IndexError(part)
        return self.part_message[part]

    def time_span(self):
        """The oldest and the newest known message time in ms; (0, 0) when none is known. O(messages) for the first
        call.
        """
        cdef Py_ssize_t k
        cdef int64_t oldest = 0, newest = 0, time
        if self.spanned:
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
        self.spanned = True
        return oldest, newest

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    CLASSES = 64      # classes of documents: the role of the message and the kind of the part
    MAX_WORDS = 1024  # a document of more words is scored as if it had MAX_WORDS - 1

cdef enum:
    TITLE = 0                   # the class of a session's title
    PROSE = 2                   # the class of an agent's prose ...
    ANSWER = 14                 # ... that of the last such part before the next message of a person ...
    LOG = 15                    # ... and that of such a part of more than MOST_PROSE passages
    MOST_PROSE = 16             # about 24,000 bytes: some exports write a whole turn, diffs and all, as one text
    KIND_BITS = 15              # mask of a class: its kind, without the mark of subagents
    IS_TITLE = 0x80000000U      # flag in doc_positions(): the document is a title
    SAME_PART = 0x40000000U     # flag in doc_positions(): the document before is of the same part
    MESSAGE_BITS = 0x3FFFFFFFU  # mask in doc_positions(): the number of the message

cdef enum:
    WORK = 0    # session_talk of an agent at work
    PEOPLE = 1  # of a conversation between people; 2 is an agent that only talks
    TALKS = 3   # values of session_talk

cdef struct ShapeWeight:  # factors of BM25 for documents of one shape, that is class and number of words
    float norm      # k1 * (1 - b + b * (words + floor) / (average words + floor)); talk has a b of its own
    float weight    # of the class

cdef class DocColumns:
    cdef const uint32_t[::1] doc_part
    cdef const uint16_t[::1] doc_words
    cdef const uint8_t[::1] doc_class
    cdef const uint32_t[::1] part_message
    cdef const uint32_t[::1] message_session
    cdef const int64_t[::1] message_time
    cdef const uint8_t[::1] session_talk
    cdef const uint32_t[::1] message_asked
    cdef bint has_asked
    cdef object positions         # cache of doc_positions()
    cdef object shapes            # cache of doc_shapes()
    cdef readonly Py_ssize_t docs
    cdef readonly Py_ssize_t parts
    cdef readonly Py_ssize_t messages
    cdef readonly Py_ssize_t sessions
    cdef Py_ssize_t most_messages  # of a session
    cdef uint64_t word_count      # words of all documents, if has_word_count
    cdef bint has_word_count
    cdef int64_t oldest           # time_span(), if has_time_span
    cdef int64_t newest
    cdef bint has_time_span
    cdef tuple recent_weights     # cache of shape_weights(): the last two (address of norms, classes, weights, norms)
    cdef uint32_t message_of(self, Py_ssize_t part) except? 0xFFFFFFFFU
    cdef object doc_positions(self)
    cdef object doc_shapes(self)
    cdef void derive_classes(self, uint16_t* shapes) noexcept nogil
    cdef object shape_weights(self, const float[:, ::1] norms, const float[::1] class_weights)

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    CLASSES = 64    # classes of documents: role and kind of part
    LONGEST = 1024  # lengths of documents are limited to LONGEST - 1 words

cdef enum:
    TITLE = 0                  # the class of a session's title
    IS_TITLE = 0x80000000U     # flag in doc_places(): the document is a title
    GOES_ON = 0x40000000U      # flag: the document before belongs to that part, too
    MESSAGE = 0x3FFFFFFFU      # mask of the message number

cdef enum:
    PEOPLE = 1  # people talk with each other; 0 is an agent at work
    TALKS = 3   # kinds of session; the third is an agent that only talks

cdef struct Worth:  # the weights of the documents of one shape
    float norm      # k1-scaled length normalisation
    float weight    # weight of the class

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
    cdef readonly bint ordered    # the messages of each session are contiguous
    cdef bint asked_inside        # every message answers one of its own session
    cdef object places            # cached result of doc_places()
    cdef object shapes            # cached result of doc_shapes()
    cdef readonly Py_ssize_t docs
    cdef readonly Py_ssize_t parts
    cdef readonly Py_ssize_t messages
    cdef readonly Py_ssize_t sessions
    cdef uint64_t all_words       # words of all documents, if `counted`
    cdef bint counted
    cdef int64_t oldest           # oldest known time of a message, if `spanned`
    cdef int64_t newest
    cdef bint spanned
    cdef tuple made               # the last two results of worths(), with their arguments
    cdef uint32_t message_of(self, Py_ssize_t part) except? 0xFFFFFFFFU
    cdef object doc_places(self)
    cdef object doc_shapes(self)
    cdef object worths(self, const float[:, ::1] norms, const float[::1] class_weights)

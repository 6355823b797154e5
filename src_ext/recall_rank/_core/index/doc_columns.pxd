from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    CLASSES = 64    # classes of documents: role and kind of part
    LONGEST = 1024  # words a document is counted to have at most

cdef enum:
    TITLE = 0                  # the class of a session's title
    IS_TITLE = 0x80000000U     # in a place: the document is a title
    GOES_ON = 0x40000000U      # it is of the same part as the document before
    MESSAGE = 0x3FFFFFFFU      # the message it belongs to

cdef enum:
    PEOPLE = 1  # people talk with each other; 0 is an agent at work
    TALKS = 3   # kinds of session; the third is an agent that only talks

cdef struct Worth:  # what the words of a document of one shape are worth
    float norm      # k1-scaled length normalisation
    float weight    # of its class

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
    cdef readonly bint ordered    # the messages of a session follow each other
    cdef bint asked_inside        # what a message answers stands in its session
    cdef object places            # of every document, once they were asked for
    cdef object shapes            # likewise
    cdef readonly Py_ssize_t docs
    cdef readonly Py_ssize_t parts
    cdef readonly Py_ssize_t messages
    cdef readonly Py_ssize_t sessions
    cdef uint64_t all_words       # of all documents, once they were counted
    cdef bint counted
    cdef int64_t oldest           # known time of a message, once all were looked at
    cdef int64_t newest
    cdef bint spanned
    cdef tuple made               # the Worths that were made last, and those before, each with what it is made of
    cdef uint32_t message_of(self, Py_ssize_t part) except? 0xFFFFFFFFU
    cdef object doc_places(self)
    cdef object doc_shapes(self)
    cdef object worths(self, const float[:, ::1] norms, const float[::1] class_weights)

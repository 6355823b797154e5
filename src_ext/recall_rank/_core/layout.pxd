from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

cdef enum:
    CLASSES = 64  # classes of documents: role and kind of part

cdef class Layout:
    cdef const uint32_t[::1] doc_part
    cdef const uint16_t[::1] doc_words
    cdef const uint8_t[::1] doc_class
    cdef const uint32_t[::1] part_message
    cdef const uint32_t[::1] message_session
    cdef const int64_t[::1] message_time
    cdef const uint8_t[::1] session_talk
    cdef const uint32_t[::1] message_asked
    cdef bint has_asked
    cdef readonly Py_ssize_t docs
    cdef readonly Py_ssize_t parts
    cdef readonly Py_ssize_t messages
    cdef readonly Py_ssize_t sessions

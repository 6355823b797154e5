from libc.stdint cimport uint8_t

from recall_rank._core.stretch cimport Place

cdef struct Shown:
    Py_ssize_t low    # characters
    Py_ssize_t high
    Py_ssize_t count  # of places

cdef bint plain(const uint8_t* text, Py_ssize_t size) noexcept nogil
cdef void frame_places(const uint8_t* text, Py_ssize_t size, Place* places, Py_ssize_t count, Py_ssize_t middle,
                       Py_ssize_t width, Shown* shown) noexcept nogil

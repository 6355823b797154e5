cdef enum:
    KINDS = 64

cdef struct Place:
    Py_ssize_t start
    Py_ssize_t end
    double weight
    int kind

cdef void heaviest_run(const Place* places, Py_ssize_t count, Py_ssize_t width, Py_ssize_t* first,
                       Py_ssize_t* last) noexcept nogil

cdef Py_ssize_t points_between(const unsigned char* text, Py_ssize_t start, Py_ssize_t end, bint wide)

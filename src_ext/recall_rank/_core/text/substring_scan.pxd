cdef Py_ssize_t code_points_between(const unsigned char* text, Py_ssize_t start, Py_ssize_t end, bint use_simd)

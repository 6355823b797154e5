cdef Py_ssize_t passage_end(const unsigned char* data, Py_ssize_t size, Py_ssize_t start,
                            Py_ssize_t longest) noexcept nogil

from recall_rank._core.text.token_buffer cimport TokenBuffer

cdef Py_ssize_t read_cjk(const unsigned char* text, Py_ssize_t size, Py_ssize_t at, TokenBuffer* out) noexcept nogil

from recall_rank._core.text.token_buffer cimport TokenBuffer

cdef void tokenise(const unsigned char* text, Py_ssize_t size, TokenBuffer* out) noexcept nogil

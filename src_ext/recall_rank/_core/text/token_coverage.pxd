from recall_rank._core.text.token_buffer cimport TokenBuffer


cdef inline bint in_run(unsigned char byte) noexcept nogil:
    """Whether it is an ASCII letter or digit."""
    return 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


cdef inline bint is_cut(const unsigned char* text, Py_ssize_t end, Py_ssize_t size) noexcept nogil:
    """Whether a cut at `end`, which is not 0, goes through a run of ASCII letters and digits."""
    return end < size and in_run(text[end - 1]) and in_run(text[end])


cdef bint is_whole(const unsigned char* text, Py_ssize_t size, const TokenBuffer* found) noexcept nogil

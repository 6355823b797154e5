from recall_rank._core.text.token_buffer cimport TokenBuffer


cdef inline bint is_ascii_alnum(unsigned char byte) noexcept nogil:
    """Return whether a byte is an ASCII letter or digit."""
    return 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


cdef inline bint splits_alnum_run(const unsigned char* text, Py_ssize_t end, Py_ssize_t size) noexcept nogil:
    """Return whether a cut of text[0:size] at `end` > 0 separates two ASCII letters or digits."""
    return end < size and is_ascii_alnum(text[end - 1]) and is_ascii_alnum(text[end])


cdef bint covers_alnum_runs(const unsigned char* text, Py_ssize_t size, const TokenBuffer* found) noexcept nogil

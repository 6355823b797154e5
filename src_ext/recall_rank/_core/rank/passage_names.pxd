from recall_rank._core.rank.features cimport FormMatch

cdef class QueryName:
    cdef readonly int first
    cdef readonly int last
    cdef readonly double worth
    cdef readonly object plain
    cdef readonly object written
    cdef unsigned char[256] inside  # 1 for a byte that a name may have: of a word, or a joiner of the query's name

    cdef list names_at(self, const unsigned char* text, Py_ssize_t size, const FormMatch* matches, Py_ssize_t count)

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    SLOTS = 64     # words of a query that are matched; later words only count as terms
    FEATURES = 12  # the length of FEATURE_NAMES
    NAMES = 16     # names whose words are evidence only together; those of further names count like other words

cdef struct QueryWords:       # slot k is the k-th word of the query
    float[SLOTS] weights
    uint8_t[SLOTS] counted    # 1 for a word that counts for coverage: no stop word
    uint8_t[NAMES] name_first    # a name covers the slots [name_first, name_last)
    uint8_t[NAMES] name_last
    int names
    int slots
    float total               # weight of the words that count
    float all_total

cdef struct FormMatch:        # a token of a passage that is a form of the query
    uint32_t position         # in words
    uint32_t words            # of the text that it covers
    uint32_t start            # in bytes
    uint32_t end
    float similarity
    float run                 # weight of the unbroken run of the query that ends here
    Py_ssize_t earlier        # the previous match that ends at the same slot, or -1
    uint8_t slot
    uint8_t span              # slots of the query that it covers

cdef void measure_matches(FormMatch* matches, Py_ssize_t count, const QueryWords* query, uint32_t words, int cues,
                          uint32_t width, float* out) noexcept nogil

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    SLOTS = 64     # words of a query that are followed; later ones only count as terms
    FEATURES = 11

cdef struct Asked:            # the words of a query
    float[SLOTS] weights
    uint8_t[SLOTS] counted    # slots that count for coverage: not stop words
    int slots
    float total               # weight of those that count
    float all_total

cdef struct Event:
    uint32_t position
    uint32_t words      # of the text it covers
    uint32_t start
    uint32_t end
    float similarity
    float run           # weight of the unbroken run of the query that ends here
    Py_ssize_t earlier  # the event before that ends at the same slot, or -1
    uint8_t slot
    uint8_t span        # of the query it covers

cdef void measure_events(Event* events, Py_ssize_t count, const Asked* asked, uint32_t words, int cues, uint32_t width,
                         float* out) noexcept nogil

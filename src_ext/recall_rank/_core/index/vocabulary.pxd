from libc.stdint cimport int64_t, uint32_t

from recall_rank._core.text.token_buffer cimport MAX_TERM

cdef struct EditQuery:            # the word of an edit search
    uint32_t points[MAX_TERM]
    int size                   # code points
    uint32_t signature
    uint32_t places[256]       # bit k is set for an ASCII character at index k; only if `use_simd`
    int bound
    bint use_simd                  # compare eight terms at a time
    unsigned char mark         # the byte of its field; FIELD_TAGS for a word of no field

cdef struct EditMatches:              # terms near a word, with their edits in the upper two bits
    void* vocabulary
    uint32_t* terms
    Py_ssize_t count
    Py_ssize_t room

cdef uint32_t signature(const uint32_t* points, int size) noexcept nogil

cdef class Vocabulary:
    cdef readonly dict families    # a cache for search.expansion.lexicon.family()
    cdef readonly object arena_buffer
    cdef readonly object offsets_buffer
    cdef readonly object starts_buffer
    cdef readonly object signatures_buffer
    cdef const unsigned char[::1] arena_view
    cdef const uint32_t[::1] offsets_view
    cdef const uint32_t[::1] starts_view
    cdef const uint32_t[::1] signatures_view
    cdef const unsigned char* arena
    cdef const uint32_t* offsets
    cdef const uint32_t* starts
    cdef const uint32_t* signatures
    cdef uint32_t[MAX_TERM + 2] words  # number of the first term of each length that belongs to no field
    cdef uint32_t* letters         # the letter table, see open_letter(); 0 marks an unset entry
    cdef Py_ssize_t size
    cdef Py_ssize_t near_end       # arena offset below which eight terms are read at a time
    cdef object partial            # loads blocks of the arena; None for an arena that is there completely
    cdef const unsigned char[::1] samples_view
    cdef const unsigned char[::1] marks_view
    cdef const unsigned char* marks  # u8[blocks of the arena], not 0 for a block that can be read; NULL: all can
    cdef Py_ssize_t block          # bytes of a block
    cdef object wanted_buffer
    cdef unsigned char* wanted     # u8[blocks], 1 for a block that a look-up needs and that cannot be read yet
    cdef readonly Py_ssize_t misses  # look-ups that needed such a block
    cdef uint32_t* sample_starts   # u32[samples + 1], offsets in samples_view
    cdef Py_ssize_t sample_count
    cdef bint has(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil
    cdef bint load(self, Py_ssize_t misses) except -1
    cdef int load_signatures(self, int shortest, int longest) except -1
    cdef void narrow(self, const unsigned char* form, Py_ssize_t size, uint32_t* first, uint32_t* last,
                     bint after) noexcept nogil
    cdef bint find_near(self, const EditQuery* word, bint use_simd, int64_t deadline, EditMatches* near) noexcept nogil
    cdef Py_ssize_t keep_near(self, const EditQuery* word, int length, uint32_t* picked,
                              Py_ssize_t count) noexcept nogil
    cdef void open_letter(self, uint32_t* row, unsigned char letter, Py_ssize_t length) noexcept nogil
    cdef (uint32_t, uint32_t) candidate_range(self, const unsigned char* form, Py_ssize_t size,
                                              Py_ssize_t length) noexcept nogil
    cdef Py_ssize_t number(self, const unsigned char* form, Py_ssize_t size) noexcept nogil
    cdef Py_ssize_t locate(self, const unsigned char* form, Py_ssize_t size, uint32_t first, uint32_t last,
                           bint after) noexcept nogil

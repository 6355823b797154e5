"""The sorted vocabulary of a segment: exact, prefix and bounded-edit look-ups.

Terms are sorted by their number of code points, then by bytes. So terms of one length are one range, terms with one
prefix are one range in each length, and the number of a term is its index. A 32-bit letter signature for each term is
a lossless filter of the edit search: one edit clears at most one bit and sets at most one.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree, PyMem_RawRealloc
from libc.stdint cimport int64_t, uint32_t
from libc.string cimport memcmp, memset

from recall_rank._core.text.token_buffer cimport MAX_TERM
from recall_rank._core.runtime.clock cimport rr_monotonic_ns
from recall_rank._core.text.edit_distance cimport bounded_osa
from recall_rank._core.text.osa_simd cimport rr_has_osa_x8, rr_osa_x8
from recall_rank._core.index.term_signatures cimport rr_sieve
from recall_rank._core.text.utf8 cimport count_code_points, decode_code_points

cdef enum:
    LENGTHS = MAX_TERM + 2
    CHUNK = 512
    LANES = 8
    NEAR_END = 0x7FFFFFFF  # arena offsets below which eight terms are read at a time
    FIELD_TAGS = 0x20          # terms of a field begin with a byte below
    BEFORE_A = 0x60        # the entry for this and all lower second bytes
    AFTER_Z = 0x7B         # the entry for this and all higher second bytes
    SECONDS = AFTER_Z - BEFORE_A + 1
    LETTERS = 26
    FEW_TERMS = 64               # lengths with fewer terms are searched without the letter table
    STEP = 128             # terms from one sample to the next

SAMPLE_STEP = STEP


cdef uint32_t signature(const uint32_t* points, int size) noexcept nogil:
    """Return the letter signature, a 32-bit set, of a word of `size` code points.

    It has the bit of each letter a-z that occurs, one of four bits for a digit, and one of two for any other character.
    """
    cdef uint32_t bits = 0, point
    cdef int k
    for k in range(size):
        point = points[k]
        if 0x61 <= point <= 0x7A:
            bits |= <uint32_t>1 << (point - 0x61)
        elif 0x30 <= point <= 0x39:
            bits |= <uint32_t>1 << (26 + (point & 3))
        else:
            bits |= <uint32_t>1 << (30 + (point & 1))
    return bits


cdef void fill_edit_query(EditQuery* word, const unsigned char* form, Py_ssize_t size, int bound,
                          bint use_simd) noexcept nogil:
    """Fill in *word for a search for terms within `bound` edits of `form`, `size` bytes of UTF-8, 1 to MAX_TERM."""
    cdef int k
    word.bound = bound
    word.mark = form[0] if form[0] < FIELD_TAGS else FIELD_TAGS
    word.size = decode_code_points(form, size, word.points)
    word.signature = signature(word.points, word.size)
    word.use_simd = use_simd and word.size <= 32 and rr_has_osa_x8()
    memset(word.places, 0, sizeof(word.places))
    for k in range(word.size if word.use_simd else 0):
        if word.points[k] < 128:
            word.places[word.points[k]] |= <uint32_t>1 << k


cdef Py_ssize_t append_matches(const EditQuery* word, const uint32_t* terms, const uint32_t* edits, int count,
                               uint32_t* picked, Py_ssize_t found) noexcept nogil:
    """Append the terms that are 1 to word.bound edits away to `picked`, and return its new number of entries.

    edits[k], for k below `count`, is the distance of terms[k] from the word. `picked` has `found` entries: the number
    of a term, with its edits in the upper two bits.
    """
    cdef int k
    for k in range(count):
        if 0 < edits[k] <= <uint32_t>word.bound:
            picked[found] = terms[k] | edits[k] << 30
            found += 1
    return found


cdef inline bint is_below(const unsigned char* term, Py_ssize_t length, const unsigned char* form, Py_ssize_t size,
                          Py_ssize_t* same, bint after) noexcept nogil:
    """Return whether a term of `length` bytes stands before the place that Vocabulary.locate() looks for.

    same[0] is the length of a prefix that both are known to share; it is set to that of the longest.
    """
    cdef Py_ssize_t k = same[0]
    while k < size and k < length and term[k] == form[k]:
        k += 1
    same[0] = k
    if k < size and k < length:
        return term[k] < form[k]
    return after or length < size


cdef class Vocabulary:
    """The terms of a segment in borrowed buffers, which must not change: look-ups by form, prefix and edits.

    arena, u8, has the terms in UTF-8, one after the other: term k is arena[offsets[k]:offsets[k + 1]]. offsets is
    u32[terms + 1]. starts, u32[66]: starts[n] is the number of the first term with n or more code points. signatures,
    u32[terms], are the sets of letters that signature() returns. Raises ValueError when the sizes or offsets do not fit
    together, and for a term that is empty or longer than 64 bytes.

    With `partial`, arena and signatures need not be there yet. It has `samples`, the forms of the terms 0, SAMPLE_STEP,
    2 * SAMPLE_STEP and so on, one after the other; `words`, what word_starts() returns; `marks`, u8[blocks of the
    arena], not 0 for a block that is there, and `block`, its bytes. A look-up is narrowed by the samples to the terms
    between two of them. If it needs blocks that are not there, it calls `partial.load(numbers of blocks)` without
    holding anything, and is then repeated; `partial.load_signatures(first, last)` loads those of the terms
    [first, last). Both raise what the look-up raises then.
    """

    # not __init__: it could run twice, and leave addresses of the first buffers behind
    def __cinit__(self, arena not None, offsets not None, starts not None, signatures not None, *, partial=None):
        cdef Py_ssize_t k
        cdef bint good = True
        cdef const uint32_t[::1] words
        cdef unsigned char first_word = FIELD_TAGS
        self.families = {}
        self.arena_buffer = arena
        self.offsets_buffer = offsets
        self.starts_buffer = starts
        self.signatures_buffer = signatures
        self.arena_view = arena
        self.offsets_view = offsets
        self.starts_view = starts
        self.signatures_view = signatures
        self.size = self.signatures_view.shape[0]
        if self.offsets_view.shape[0] != self.size + 1 or self.starts_view.shape[0] != LENGTHS:
            raise ValueError("the vocabulary's buffers do not fit together")
        if (self.offsets_view[0] != 0 or self.offsets_view[self.size] != self.arena_view.shape[0]
                or self.starts_view[0] != 0 or self.starts_view[LENGTHS - 1] != self.size):
            raise ValueError("the vocabulary's buffers do not fit together")
        with nogil:
            for k in range(LENGTHS - 1):
                good = good and self.starts_view[k] <= self.starts_view[k + 1]
        if not good:
            raise ValueError("the vocabulary's lengths are out of order")
        with nogil:
            for k in range(self.size):
                # a term has 1 to MAX_TERM bytes: look-ups read its first and unpack it into arrays of that size
                good = good and self.offsets_view[k] < self.offsets_view[k + 1]
                good = good and self.offsets_view[k + 1] - self.offsets_view[k] <= MAX_TERM
        if not good:
            raise ValueError(f"the vocabulary's offsets are out of order, or a term has more than {MAX_TERM} bytes")
        if self.size:
            self.arena = &self.arena_view[0]
            self.signatures = &self.signatures_view[0]
        self.offsets = &self.offsets_view[0]
        self.starts = &self.starts_view[0]
        self.words[LENGTHS - 1] = self.size
        if partial is None:
            for k in range(LENGTHS - 1):
                self.words[k] = self.locate(&first_word, 1, self.starts[k], self.starts[k + 1], False)
        else:
            words = partial.words
            if words.shape[0] != LENGTHS:
                raise ValueError("the vocabulary's buffers do not fit together")
            for k in range(LENGTHS - 1):
                if not self.starts[k] <= words[k] <= self.starts[k + 1]:
                    raise ValueError("the vocabulary's lengths are out of order")
                self.words[k] = words[k]
            self.open_partial(partial)
        self.near_end = min(self.arena_view.shape[0], NEAR_END)
        self.letters = <uint32_t*>PyMem_RawCalloc(LENGTHS * LETTERS * (SECONDS + 1), sizeof(uint32_t))
        if self.letters == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.letters)
        PyMem_RawFree(self.sample_starts)

    def __len__(self):
        return self.size

    # --- an arena that is loaded block by block -------------------------------------------------------------

    def open_partial(self, partial):
        """Take what the constructor was given as `partial`, once. Raises ValueError when it does not fit."""
        cdef Py_ssize_t k, blocks, total = 0
        if self.partial is not None:
            raise ValueError("the vocabulary has its samples already")
        self.samples_view = partial.samples
        self.marks_view = partial.marks
        self.block = partial.block
        if self.block < 1:
            raise ValueError("a block has at least one byte")
        self.sample_count = (self.size + STEP - 1) // STEP
        blocks = (self.arena_view.shape[0] + self.block - 1) // self.block
        self.sample_starts = <uint32_t*>PyMem_RawCalloc(self.sample_count + 1, sizeof(uint32_t))
        if self.sample_starts == NULL:
            raise MemoryError
        for k in range(self.sample_count):
            self.sample_starts[k] = total
            total += self.offsets[k * STEP + 1] - self.offsets[k * STEP]
        self.sample_starts[self.sample_count] = total
        if total != self.samples_view.shape[0] or self.marks_view.shape[0] != blocks:
            raise ValueError("the vocabulary's buffers do not fit together")
        self.partial = partial
        if self.size:
            self.wanted_buffer = bytearray(blocks)
            self.wanted = <unsigned char*>PyByteArray_AS_STRING(self.wanted_buffer)
            self.marks = &self.marks_view[0]

    def word_starts(self):
        """Return the number of the first term of each length, in code points, that belongs to no field: bytes of
        u32[66].
        """
        return (<const unsigned char*>self.words)[:LENGTHS * sizeof(uint32_t)]

    def samples(self):
        """Return the forms of the terms 0, SAMPLE_STEP, 2 * SAMPLE_STEP and so on, one after the other, as bytes."""
        return b"".join([self.form(number) for number in range(0, self.size, STEP)])

    cdef bint has(self, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
        """Return whether the bytes [start, end) of the arena can be read; if not, note which blocks are wanted.

        With a partial arena the caller holds the GIL.
        """
        cdef Py_ssize_t k
        cdef bint there = True
        if self.marks == NULL or start >= end:
            return True
        for k in range(start // self.block, (end - 1) // self.block + 1):
            if not self.marks[k]:
                self.wanted[k] = 1
                there = False
        if not there:
            self.misses += 1
        return there

    cdef bint load(self, Py_ssize_t misses) except -1:
        """Load the wanted blocks and return True, so that the caller repeats its look-up; False when it met no block
        that is not there. `misses` is self.misses from before the look-up.

        Another thread may load the blocks meanwhile: a look-up is repeated once too often then, never too seldom.
        """
        cdef Py_ssize_t k
        if misses == self.misses:
            return False
        blocks = [k for k in range(len(self.wanted_buffer)) if self.wanted[k]]
        for k in blocks:
            self.wanted[k] = 0
        self.partial.load(blocks)
        return True

    cdef int load_signatures(self, int shortest, int longest) except -1:
        """Load the signatures of the terms with `shortest` to `longest` code points."""
        if self.partial is not None:
            self.partial.load_signatures(self.starts[min(max(shortest, 0), LENGTHS - 1)],
                                         self.starts[min(max(longest + 1, 0), LENGTHS - 1)])
        return 0

    cdef void narrow(self, const unsigned char* form, Py_ssize_t size, uint32_t* first, uint32_t* last,
                     bint after) noexcept nogil:
        """Narrow [first, last), the arguments of locate(), to terms between two samples, by the samples alone."""
        cdef Py_ssize_t low = (first[0] + STEP - 1) // STEP, high = (last[0] + STEP - 1) // STEP
        cdef Py_ssize_t begin = low, end = high, middle, same
        while low < high:
            middle = low + (high - low) // 2
            same = 0
            if is_below(&self.samples_view[0] + self.sample_starts[middle],
                        self.sample_starts[middle + 1] - self.sample_starts[middle], form, size, &same, after):
                low = middle + 1
            else:
                high = middle
        if low > begin:
            first[0] = (low - 1) * STEP + 1
        if low < end:
            last[0] = low * STEP

    # --- look-ups ----------------------------------------------------------------------------------------------

    cdef Py_ssize_t locate(self, const unsigned char* form, Py_ssize_t size, uint32_t first, uint32_t last,
                           bint after) noexcept nogil:
        """Return the number of the first term in [first, last) that is not below `form` by its bytes, or `last`.

        With `after`, the first that is above `form` and does not begin with it. The form has `size` bytes; the terms of
        the range have equal length, so that they ascend. Where the arena is partial and a block is not there, any
        number of the range, noted as a miss.
        """
        cdef uint32_t middle
        cdef Py_ssize_t same
        cdef Py_ssize_t low = 0, high = 0  # length of the prefix shared with the terms before and after the range
        if self.marks != NULL and first < last:
            self.narrow(form, size, &first, &last, after)
            if first < last and not self.has(self.offsets[first], self.offsets[last]):
                return last
        while first < last:
            middle = first + (last - first) // 2
            same = min(low, high)
            if is_below(self.arena + self.offsets[middle], self.offsets[middle + 1] - self.offsets[middle], form, size,
                        &same, after):
                first = middle + 1
                low = same
            else:
                last = middle
                high = same
        return first

    cdef void open_letter(self, uint32_t* row, unsigned char letter, Py_ssize_t length) noexcept nogil:
        """Fill in the row of the letter table that finds the words of `length` code points which begin with `letter`.

        row[k] is 1 + the number of the first of them whose second byte is at least BEFORE_A + k; row[0] is 1 + that of
        the first of all, row[SECONDS] 1 + the number behind the last. An entry is 0 until it is set.
        """
        cdef unsigned char opening[2]
        cdef uint32_t first, last
        cdef int second
        opening[0] = letter
        first = self.locate(opening, 1, self.words[length], self.starts[length + 1], False)
        last = self.locate(opening, 1, first, self.starts[length + 1], True)
        row[0] = first + 1
        for second in range(1, SECONDS):
            opening[1] = BEFORE_A + second
            first = self.locate(opening, 2, first, last, False)
            row[second] = first + 1
        row[SECONDS] = last + 1

    cdef (uint32_t, uint32_t) candidate_range(self, const unsigned char* form, Py_ssize_t size,
                                              Py_ssize_t length) noexcept nogil:
        """Return numbers [first, last) that include all terms of `length` code points that begin with the form.

        They are narrowed by the first two bytes of the form. The row of a letter is filled in on first use; each entry
        is valid by itself, so that several threads may fill in a row at once.
        """
        cdef uint32_t first = self.words[length], last = self.starts[length + 1]
        cdef uint32_t* row
        cdef int second
        if form[0] < FIELD_TAGS:
            return self.starts[length], first
        if size < 2 or last - first < FEW_TERMS or not c'a' <= form[0] <= c'z' or self.marks != NULL:
            return first, last  # samples narrow it, where the arena is partial
        row = self.letters + (length * LETTERS + form[0] - c'a') * (SECONDS + 1)
        second = min(max(<int>form[1], <int>BEFORE_A), <int>AFTER_Z) - BEFORE_A
        if row[second] == 0 or row[second + 1] == 0:
            self.open_letter(row, form[0], length)
        return row[second] - 1, row[second + 1] - 1

    cdef Py_ssize_t number(self, const unsigned char* form, Py_ssize_t size) noexcept nogil:
        """Return the number of the term that equals the `size` bytes of `form`, or -1."""
        cdef uint32_t first, last
        if size == 0 or size > MAX_TERM:
            return -1
        first, last = self.candidate_range(form, size, count_code_points(form, size))
        first = self.locate(form, size, first, last, False)
        if first >= last or self.offsets[first + 1] - self.offsets[first] != size or not self.has(
                self.offsets[first], self.offsets[first + 1]) or memcmp(
                    self.arena + self.offsets[first], form, size) != 0:
            return -1
        return first

    def find(self, bytes form not None):
        """Return the number of the term that equals `form`, or -1."""
        cdef Py_ssize_t misses, found
        while True:
            misses = self.misses
            found = self.number(form, len(form))
            if not self.load(misses):
                return found

    def find_all(self, list forms not None):
        """Return a list with an element for each of `forms`: the number of the term that equals it, or -1."""
        cdef Py_ssize_t misses
        cdef bytes form
        while True:
            misses = self.misses
            found = [self.number(form, len(form)) for form in forms]
            if not self.load(misses):
                return found

    def prefix(self, bytes form not None, int longest=MAX_TERM):
        """Return the terms that begin with `form` and are longer, but have at most `longest` code points.

        They are a list of ranges (first, last) of numbers, `last` not included, one for each length that has any.
        """
        cdef const unsigned char* data = form
        cdef Py_ssize_t size = len(form)
        cdef Py_ssize_t misses
        cdef uint32_t first, last, end
        cdef int length
        if size == 0 or size > MAX_TERM or self.size == 0:
            return []
        while True:
            misses = self.misses
            ranges = []
            for length in range(count_code_points(data, size) + 1, min(longest, MAX_TERM) + 1):
                first, end = self.candidate_range(data, size, length)
                last = self.locate(data, size, first, end, True)
                first = self.locate(data, size, first, end, False)
                if first < last:
                    ranges.append((first, last))
            if not self.load(misses):
                return ranges

    def within(self, bytes form not None, int bound, bint use_simd=True, int64_t deadline_ns=0):
        """Return the terms at 1 to `bound` edits of `form`, a list of (number, edits), by edits, then by number.

        An edit inserts, deletes or replaces one character, or swaps two neighbours (optimal string alignment). A form
        that begins with a control byte is a term of a field, and only matches terms of that field. `use_simd` False
        avoids SIMD instructions and gives equal results. At the deadline, a time.monotonic_ns(), 0 for none, the terms
        found so far are returned. Raises ValueError for a bound that is not 0 to 3.
        """
        return within_each((self,), form, bound, use_simd, deadline_ns)[0]

    cdef bint find_near(self, const EditQuery* word, bint use_simd, int64_t deadline, EditMatches* near) noexcept nogil:
        """Append to `near` the terms at 1 to word.bound edits of the word, unsorted; return False if memory ran out.

        At the deadline, ns of the monotonic clock, 0 for none, it returns True with the terms found so far.
        """
        cdef Py_ssize_t first = 0, last = 0, count
        cdef int length = word.size - word.bound - 1 if word.size > word.bound else 0
        cdef int less = 0, more = 0
        cdef int longest = word.size + word.bound if word.size + word.bound < MAX_TERM else MAX_TERM
        while self.size and (length < longest or first < last):
            if first == last:
                length += 1
                first, last = self.words[length], self.starts[length + 1]
                if word.mark < FIELD_TAGS:
                    first = self.locate(&word.mark, 1, self.starts[length], self.words[length], False)
                    last = self.locate(&word.mark, 1, first, self.words[length], True)
                less = word.bound - max(length - word.size, 0)  # edits left after those that make the word this long
                more = word.bound - max(word.size - length, 0)
                continue
            if deadline and rr_monotonic_ns() >= deadline:
                break
            if not reserve_matches(near):
                return False
            count = rr_sieve(self.signatures, first, last, word.signature, less, more, near.terms + near.count,
                             CHUNK, &first, use_simd)
            near.count += self.keep_near(word, length, near.terms + near.count, count)
        return True

    cdef Py_ssize_t keep_near(self, const EditQuery* word, int length, uint32_t* picked,
                              Py_ssize_t count) noexcept nogil:
        """Move the terms of picked[0:count] at 1 to word.bound edits of the word to the front, and return their number.

        `picked` has numbers of terms, all below 2**30 and of `length` code points. Each moved one gets its edits in the
        upper two bits; the others are overwritten.
        """
        cdef uint32_t waiting[LANES]
        cdef uint32_t starts[LANES]
        cdef uint32_t edits[LANES]
        cdef uint32_t other[MAX_TERM]
        cdef uint32_t start
        cdef int lane, lanes = 0, size
        cdef Py_ssize_t k, found = 0
        for k in range(count):
            start = self.offsets[picked[k]]
            size = self.offsets[picked[k] + 1] - start
            if not self.has(start, start + size):
                continue
            # eight at a time when all characters are ASCII, and four more bytes can be read
            if word.use_simd and size == length and start + size + 4 <= self.near_end:
                waiting[lanes] = picked[k]
                starts[lanes] = start
                lanes += 1
                if lanes == LANES:
                    rr_osa_x8(self.arena, starts, length, word.places, word.size, edits)
                    found = append_matches(word, waiting, edits, lanes, picked, found)
                    lanes = 0
            else:
                waiting[lanes] = picked[k]
                size = decode_code_points(self.arena + start, size, other)
                edits[lanes] = bounded_osa(word.points, word.size, other, size, word.bound)
                found = append_matches(word, waiting + lanes, edits + lanes, 1, picked, found)
        if lanes:
            for lane in range(lanes, LANES):
                starts[lane] = starts[0]
            rr_osa_x8(self.arena, starts, length, word.places, word.size, edits)
            found = append_matches(word, waiting, edits, lanes, picked, found)
        return found

    def form(self, Py_ssize_t number):
        """Return the UTF-8 form of term `number` as bytes. Raises IndexError when there is no such term."""
        cdef Py_ssize_t misses
        if not 0 <= number < self.size:
            raise IndexError(number)
        while True:
            misses = self.misses
            if self.has(self.offsets[number], self.offsets[number + 1]) or not self.load(misses):
                return self.arena[self.offsets[number]:self.offsets[number + 1]]


cdef bint reserve_matches(EditMatches* near) noexcept nogil:
    """Make room in `near` for CHUNK more terms; return False, with `near` unchanged, when memory ran out."""
    cdef void* grown
    if near.count + CHUNK <= near.room:
        return True
    grown = PyMem_RawRealloc(near.terms, (2 * near.room + CHUNK) * sizeof(uint32_t))
    if grown == NULL:
        return False
    near.terms = <uint32_t*>grown
    near.room = 2 * near.room + CHUNK
    return True


def within_each(vocabularies, bytes form not None, int bound, bint use_simd=True, int64_t deadline_ns=0):
    """Return for each Vocabulary of `vocabularies` the terms at 1 to `bound` edits of `form`: a list of lists.

    Each is what Vocabulary.within() returns for these arguments; the GIL is released once for all of them.
    """
    cdef tuple searched = tuple(vocabularies)
    cdef Py_ssize_t count = len(searched), size = len(form), k, j, misses
    cdef bint good = True
    cdef EditQuery word
    cdef EditMatches* near
    cdef Vocabulary vocabulary
    if not 0 <= bound <= 3:
        raise ValueError(f"bound must be 0 to 3, not {bound}")
    if size == 0 or size > MAX_TERM:
        return [[] for _ in searched]
    fill_edit_query(&word, form, size, bound, use_simd)
    near = <EditMatches*>PyMem_RawCalloc(count + 1, sizeof(EditMatches))
    if near == NULL:
        raise MemoryError
    try:
        for k in range(count):
            near[k].vocabulary = <void*><Vocabulary?>searched[k]
        for k in range(count):
            vocabulary = <Vocabulary>searched[k]
            if vocabulary.marks == NULL:
                continue
            vocabulary.load_signatures(word.size - bound, word.size + bound)
            while good:
                misses = vocabulary.misses
                near[k].count = 0
                good = vocabulary.find_near(&word, use_simd, deadline_ns, near + k)
                if not vocabulary.load(misses):
                    break
        with nogil:
            for k in range(count):
                if (<Vocabulary>near[k].vocabulary).marks == NULL:
                    good = good and (<Vocabulary>near[k].vocabulary).find_near(&word, use_simd, deadline_ns, near + k)
        if not good:
            raise MemoryError
        # edits are the upper bits, so that sorting orders terms by edits
        return [
            [(term & 0x3FFFFFFF, term >> 30) for term in sorted([near[k].terms[j] for j in range(near[k].count)])]
            for k in range(count)
        ]
    finally:
        for k in range(count):
            PyMem_RawFree(near[k].terms)
        PyMem_RawFree(near)

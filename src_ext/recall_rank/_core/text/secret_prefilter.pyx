"""Can a secret stand here: one pass over characters for what the rules of redaction cannot do without.

A character beyond ASCII passes for whatever lets a rule go on: the rules themselves look closer.
"""

from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

cdef extern from "Python.h":
    int PyUnicode_KIND(PyObject* text)
    const void* PyUnicode_DATA(PyObject* text)

ctypedef fused letter:
    uint8_t
    uint16_t
    uint32_t

cpdef enum:
    KEY = 1        # the beginning of a key among enough of its characters
    NAMED = 2      # a name, and a value behind it
    ADDRESS = 4    # a password in an address
    HEADER = 8     # what stands behind "Bearer" and the like
    BLOCK = 16     # the head of a block

cdef enum:
    RUN = 1        # letters and digits, "_" and "-"
    LOWER = 2
    UPPER = 4
    DIGIT = 8
    VALUE = 16     # no blank, no quote
    TOKEN = 32     # what a header may carry
    HOST = 64      # what an address may hold
    SIGN = 128     # a name may end here
    LOOK = 256     # a name or a flag may be known by it

cdef enum:
    MOST_STARTS = 512
    KEY_RUN = 20       # characters of keys in a row: so many, or half of a longer key, stand in every key
    VALUE_RUN = 15     # the same of what nothing but a name gives away, passwords aside
    START_REACH = 48   # the longest beginning in front of them
    TOKEN_REACH = 4096
    NAME_REACH = 160
    BLOCK_REACH = 16384
    NEAR = 200         # a blank that is no further away will do
    NAME_CHARS = 64    # of a name up to its sign
    FLAG_CHARS = 64
    KELVIN = 0x212A    # the one character beyond ASCII whose small form is within: k

cdef struct Rules:
    uint16_t kinds[128]
    uint8_t pairs[2048]              # bit 128 * a + b: a beginning begins with a, then b
    int first[129]                   # the beginnings with first letter a are [first[a], first[a + 1])
    int bounds[MOST_STARTS + 1]      # of the beginnings in `letters`
    const uint8_t* letters


cdef inline uint16_t kind_of(const Rules* rules, uint32_t c) noexcept nogil:
    if c < 128:
        return rules.kinds[c]
    return DIGIT | VALUE | TOKEN | HOST | (LOOK if c == KELVIN else 0)


cdef inline bint stands(const letter* text, Py_ssize_t low, Py_ssize_t high, Py_ssize_t at, const char* word,
                        Py_ssize_t size) noexcept nogil:
    """Whether the small letters of the word, or their capitals, stand at `at`, all in [low, high)."""
    cdef Py_ssize_t k
    cdef uint32_t c
    if at < low or at + size > high:
        return False
    for k in range(size):
        c = text[at + k]
        if (c | 0x20 if c < 128 else (c'k' if c == KELVIN else 0)) != <uint8_t>word[k]:
            return False
    return True


cdef bint value_at(const Rules* rules, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Whether a value with a digit stands there, behind at most five quotes and the like."""
    cdef Py_ssize_t stop, count = 0
    cdef bint digit = False
    cdef uint16_t kind
    stop = min(at + 5, end)
    while at < stop and text[at] < 128 and (text[at] == c'=' or text[at] == c' ' or text[at] == c'\t'
                                            or text[at] == c'"' or text[at] == c"'" or text[at] == c'`'
                                            or text[at] == c'\\'):
        at += 1
    while at < end and count < 81:
        kind = kind_of(rules, text[at])
        if not kind & VALUE:
            break
        digit = digit or kind & DIGIT
        count += 1
        if digit and count >= 6:
            return True
        at += 1
    return False


cdef bint header_at(const Rules* rules, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Whether blanks stand there, then 16 characters as of a key."""
    cdef Py_ssize_t begin = at
    while at < end and (text[at] == c' ' or text[at] == c'\t'):
        at += 1
    if at == begin or at + 16 > end:
        return False
    for begin in range(at, at + 16):
        if not kind_of(rules, text[begin]) & TOKEN:
            return False
    return True


cdef bint address_at(const Rules* rules, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Whether NAME:PASSWORD@ stands there."""
    cdef Py_ssize_t begin = at
    while at < end and at - begin <= 128 and text[at] != c':' and kind_of(rules, text[at]) & HOST:
        at += 1
    if at >= end or text[at] != c':' or at - begin > 128:
        return False
    begin = at + 1
    at = begin
    while at < end and at - begin <= 256 and kind_of(rules, text[at]) & HOST:
        at += 1
    return at < end and text[at] == c'@' and 3 <= at - begin <= 256


cdef bint start_in(const Rules* rules, const letter* text, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Whether the beginning of a key stands in [low, high)."""
    cdef Py_ssize_t at, k, size
    cdef uint32_t pair
    cdef int each
    for at in range(low, high - 1):
        if text[at] >= 128 or text[at + 1] >= 128:
            continue
        pair = 128 * <uint32_t>text[at] + <uint32_t>text[at + 1]
        if not rules.pairs[pair >> 3] >> (pair & 7) & 1:
            continue
        for each in range(rules.first[<uint32_t>text[at]], rules.first[<uint32_t>text[at] + 1]):
            size = rules.bounds[each + 1] - rules.bounds[each]
            if at + size > high:
                continue
            k = 1
            while k < size and text[at + k] == rules.letters[rules.bounds[each] + k]:
                k += 1
            if k == size:
                return True
    return False


cdef bint head_in(const letter* text, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Whether -----BEGIN stands in [low, high): one of five dashes is at every fifth place."""
    cdef Py_ssize_t at, begin, k
    cdef const char* head = b"-----BEGIN"
    for at in range(low + 4, high, 5):
        if text[at] != c'-':
            continue
        for begin in range(at - 4, at + 1):
            if begin + 10 > high:
                break
            k = 0
            while k < 10 and text[begin + k] == <uint8_t>head[k]:
                k += 1
            if k == 10:
                return True
    return False


cdef inline bint inside(uint32_t c) noexcept nogil:
    """Whether the beginnings of keys hold it besides letters, or a broken line leaves it in front of one."""
    return c == c'.' or c == c'/' or c == c':' or c == c'=' or c == c'~' or c == c'\n' or c == c'\\'


cdef Py_ssize_t flag_end(const Rules* rules, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Where the word of a flag ends."""
    cdef Py_ssize_t stop = min(at + FLAG_CHARS, end)
    while at < stop and (text[at] == c'-' or kind_of(rules, text[at]) & (LOWER | UPPER)):
        at += 1
    return at


cdef int signs_in(const Rules* rules, const letter* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """What may stand in [start, end), blocks aside."""
    cdef int found = 0
    cdef bint values = False, valued = False
    cdef Py_ssize_t at, first, sign, run = start, done = start, flag = -1, flags = start
    cdef Py_ssize_t secret = start - 2 * NAME_CHARS, password = secret  # where the last such name stands
    cdef uint16_t kind, seen = 0
    cdef uint32_t c
    for at in range(start, end + 1):
        c = text[at] if at < end else c' '
        kind = kind_of(rules, c)
        if kind & RUN:
            seen |= kind
        else:
            if at - run >= KEY_RUN:
                # small letters alone are a word of a program
                if not found & KEY and seen & (LOWER | UPPER | DIGIT) != LOWER:
                    first = max(done, run - START_REACH) if run > start and inside(text[run - 1]) else run
                    if start_in(rules, text, first, at):
                        found |= KEY
                done = at
            values = values or at - run >= VALUE_RUN
            run = at + 1
            seen = 0
        if at == flag or kind & SIGN:
            sign = at + 1 if at == flag else at  # the name stands in front of it
            if not found & NAMED and sign - max(secret, password) <= NAME_CHARS and value_at(rules, text, at + 1, end):
                if sign - password <= NAME_CHARS:
                    found |= NAMED
                valued = True
            if c == c':' and at + 2 < end and text[at + 1] == c'/' and text[at + 2] == c'/':
                if address_at(rules, text, at + 3, end):
                    found |= ADDRESS
        elif kind & LOOK:
            c = c | 0x20 if c < 128 else c'k'
            if c == c'-':
                if at >= flags and at + 1 < end and text[at + 1] == c'-':
                    flags = flag_end(rules, text, at + 2, end)
                    flag = flags if flags < end and text[flags] == c' ' else -1
            elif c == c'k':
                if stands(text, start, end, at, b"key", 3):
                    secret = at
                elif stands(text, start, end, at - 2, b"token", 5):
                    secret = at
                    if header_at(rules, text, at + 3, end):
                        found |= HEADER
            elif c == c'c':
                if stands(text, start, end, at, b"cred", 4) or stands(text, start, end, at - 2, b"secret", 6):
                    secret = at
            elif c == c'z':
                if stands(text, start, end, at - 7, b"authorization", 13):
                    secret = at
            elif c == c'w':
                if stands(text, start, end, at - 4, b"passw", 5) or stands(text, start, end, at - 1, b"pwd", 3):
                    password = at
            elif c == c'p':
                if stands(text, start, end, at, b"passphrase", 10):
                    password = at
            elif c == c'b':
                if stands(text, start, end, at, b"bearer", 6) and header_at(rules, text, at + 6, end):
                    found |= HEADER
                elif stands(text, start, end, at, b"basic", 5) and header_at(rules, text, at + 5, end):
                    found |= HEADER
    return found | NAMED if valued and values else found


cdef Py_ssize_t before(const letter* text, Py_ssize_t low) noexcept nogil:
    """Where to begin to read for what reaches into [low, ...): a blank or line end, and the names in front of it."""
    cdef Py_ssize_t floor = max(0, low - TOKEN_REACH), at = low - 1, line = -1
    while at >= floor and text[at] != c' ':
        if line < 0 and text[at] == c'\n':
            line = at
        if low - at > NEAR and line >= 0:
            break
        at -= 1
    if at < floor and low < NEAR:
        return 0
    if at < floor or text[at] != c' ':
        at = max(floor, line)
    elif low - at > NEAR:
        at = max(at, line)
    return max(0, at - NAME_REACH)


cdef Py_ssize_t behind(const letter* text, Py_ssize_t high, Py_ssize_t length) noexcept nogil:
    """Where to end to read for what reaches out of [..., high)."""
    cdef Py_ssize_t ceiling = min(length, high + TOKEN_REACH), at = high, line = -1
    while at < ceiling and text[at] != c' ':
        if line < 0 and text[at] == c'\n':
            line = at
        if at - high >= NEAR and line >= 0:
            return line
        at += 1
    if at < ceiling and (at - high <= NEAR or line < 0):
        return at
    return line if line >= 0 else ceiling


cdef int around(const Rules* rules, const letter* text, Py_ssize_t length, Py_ssize_t low, Py_ssize_t high,
                Py_ssize_t* start, Py_ssize_t* end) noexcept nogil:
    """Signs.around() of characters that lie flat."""
    cdef int found
    start[0] = 0
    end[0] = length
    if low > 0 or high < length:
        start[0] = before(text, low)
        end[0] = behind(text, high, length)
    found = signs_in(rules, text, start[0], end[0])
    return found | BLOCK if head_in(text, max(0, low - BLOCK_REACH), high) else found


cdef class Signs:
    """Knows how keys begin: at least two letters of ASCII each. Immutable, so that threads can share it."""

    cdef Rules rules
    cdef bytes letters

    def __cinit__(self, list starts not None):
        cdef list known = sorted({start.encode("ascii") for start in starts})
        cdef int at, c
        if len(known) > MOST_STARTS or any(len(start) < 2 for start in known):
            raise ValueError(f"at most {MOST_STARTS} beginnings of two letters or more, not {starts}")
        memset(&self.rules, 0, sizeof(Rules))
        self.letters = b"".join(known)
        self.rules.letters = self.letters
        for at, start in enumerate(known):
            self.rules.bounds[at + 1] = self.rules.bounds[at] + len(start)
            self.rules.pairs[(128 * start[0] + start[1]) >> 3] |= 1 << (start[1] & 7)
            for c in range(start[0] + 1, 129):
                self.rules.first[c] = at + 1
        for c in range(128):
            self.rules.kinds[c] = kinds_of(chr(c))

    def around(self, str text not None, Py_ssize_t low, Py_ssize_t high):
        """(signs, start, end) of what reaches into characters [low, high): what may be, and where it has to be read.

        Raises ValueError for a range outside the text. O(high - low).
        """
        cdef Py_ssize_t length = len(text), start = 0, end = 0
        cdef int kind = PyUnicode_KIND(<PyObject*>text), found
        cdef const void* data = PyUnicode_DATA(<PyObject*>text)
        if not 0 <= low <= high <= length:
            raise ValueError(f"[{low}, {high}) is outside a text of {length} characters")
        with nogil:
            if kind == 1:
                found = around(&self.rules, <const uint8_t*>data, length, low, high, &start, &end)
            elif kind == 2:
                found = around(&self.rules, <const uint16_t*>data, length, low, high, &start, &end)
            else:
                found = around(&self.rules, <const uint32_t*>data, length, low, high, &start, &end)
        return found, start, end


cdef uint16_t kinds_of(str c):
    """The kinds of a character of ASCII."""
    cdef dict members = {
        RUN: c.isalnum() or c in "_-",
        LOWER: c.islower(),
        UPPER: c.isupper(),
        DIGIT: c.isdigit(),
        VALUE: not c.isspace() and c not in "\"'`\\",
        TOKEN: c.isalnum() or c in "_.~+/=-",
        HOST: not c.isspace() and c not in "/@\"'<>",
        SIGN: c in "=:>",
        LOOK: c.lower() in "bckpwz-",
    }
    return sum(kind for kind, member in members.items() if member)

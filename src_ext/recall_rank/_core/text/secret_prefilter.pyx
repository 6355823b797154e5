"""Prefilter of secrets: one pass over a text that tells which types of secrets it may contain.

It reports every type of which a redaction rule matches, and may report others. A character beyond ASCII counts as one
that the value, token, user or password of any rule may contain.
"""

from cpython.object cimport PyObject
from libc.stdint cimport uint8_t, uint16_t, uint32_t
from libc.string cimport memset

from recall_rank._core.text.unseen_characters cimport colour_at, is_unseen, letter

cdef extern from "Python.h":
    int PyUnicode_KIND(PyObject* text)
    const void* PyUnicode_DATA(PyObject* text)

cpdef enum:
    KEY = 1        # the prefix of a key, in a run of characters as long as a key
    NAMED = 2      # a telling name such as "password", and a value behind it
    ADDRESS = 4    # a password in a URL
    HEADER = 8     # a token behind "Bearer", "Basic" or "token"
    BLOCK = 16     # the head of a PEM block
    UNSEEN = 32    # a colour code or another character that a terminal does not show: it may hide any of the others

cdef enum:         # traits of characters
    RUN = 1        # a letter, a digit, "_" or "-"
    LOWER = 2
    UPPER = 4
    DIGIT = 8
    VALUE = 16     # neither blank nor quote nor backslash
    TOKEN = 32     # allowed in the token of a header
    HOST = 64      # allowed in the user and password of a URL
    SIGN = 128     # = : or >, which end a name
    LOOK = 256     # a telling letter of a name, the dash of a flag, or what is unseen

cdef enum:
    MAX_PREFIXES = 512
    KEY_RUN = 20         # key characters in a row that every key contains
    VALUE_RUN = 15       # characters in a row of a secret that only its name gives away, passwords excepted
    PREFIX_REACH = 48    # characters of the longest prefix in front of such a run
    TOKEN_REACH = 4096   # characters that are read beyond the range for a blank or line end
    NAME_REACH = 160     # characters that are read in front of it, for a name
    BLOCK_REACH = 16384  # characters that are read in front of the range for the head of a block
    NEAR = 200           # within this distance a blank is preferred to a line end
    NAME_CHARS = 64      # from a telling letter of a name to the sign behind the name
    FLAG_CHARS = 64      # of the name of a flag
    USER_CHARS = 256     # of a user in a URL
    USER_TOKEN = 16      # characters of the shortest token that stands in a URL in place of a user
    SYMBOLS = 0x2000     # the first character beyond the alphabets of names
    KELVIN = 0x212A      # the Kelvin sign: the only character beyond ASCII whose lower case is ASCII, k

cdef struct PrefilterTables:
    uint16_t traits[128]              # of every ASCII character
    uint8_t pairs[2048]               # bit 128 * a + b is set where a prefix begins with the characters a, b
    int first[129]                    # the prefixes that begin with character a are numbers first[a]:first[a + 1]
    int bounds[MAX_PREFIXES + 1]      # prefix k is letters[bounds[k]:bounds[k + 1]]
    const uint8_t* letters            # borrowed from SecretPrefilter.letters


cdef inline uint16_t traits_of(const PrefilterTables* tables, uint32_t c) noexcept nogil:
    """Return the traits of character `c`, a bit set of RUN to LOOK: the roles it can have in a secret."""
    if c < 128:
        return tables.traits[c]
    return DIGIT | VALUE | TOKEN | HOST | (LOOK if c == KELVIN or is_unseen(c) else 0)


cdef inline bint word_at(const letter* text, Py_ssize_t low, Py_ssize_t high, Py_ssize_t at, const char* word,
                         Py_ssize_t size) noexcept nogil:
    """Return whether `word`, `size` lower-case ASCII letters, is at text[at] in any case, within [low, high)."""
    cdef Py_ssize_t k
    cdef uint32_t c
    if at < low or at + size > high:
        return False
    for k in range(size):
        c = text[at + k]
        if (c | 0x20 if c < 128 else (c'k' if c == KELVIN else 0)) != <uint8_t>word[k]:
            return False
    return True


cdef bint value_at(const PrefilterTables* tables, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return whether six or more characters of a secret value, one of them a digit, are at text[at], before `end`.

    Up to five quotes, blanks, tabs, equals signs or backslashes may precede them. A character beyond ASCII counts as a
    digit.
    """
    cdef Py_ssize_t stop, count = 0
    cdef bint digit = False
    cdef uint16_t traits
    stop = min(at + 5, end)
    while at < stop and text[at] < 128 and (text[at] == c'=' or text[at] == c' ' or text[at] == c'\t'
                                            or text[at] == c'"' or text[at] == c"'" or text[at] == c'`'
                                            or text[at] == c'\\'):
        at += 1
    while at < end and count < 81:
        traits = traits_of(tables, text[at])
        if not traits & VALUE:
            break
        digit = digit or traits & DIGIT
        count += 1
        if digit and count >= 6:
            return True
        at += 1
    return False


cdef bint header_at(const PrefilterTables* tables, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return whether text[at:end] begins with blanks or tabs that 16 characters of an HTTP header's token follow."""
    cdef Py_ssize_t begin = at
    while at < end and (text[at] == c' ' or text[at] == c'\t'):
        at += 1
    if at == begin or at + 16 > end:
        return False
    for begin in range(at, at + 16):
        if not traits_of(tables, text[begin]) & TOKEN:
            return False
    return True


cdef bint address_at(const PrefilterTables* tables, const letter* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return whether text[at:end] begins with USER:PASSWORD@ or TOKEN@, as behind the :// of a URL.

    USER has at most 256 characters and PASSWORD 3 to 256. A password may contain "/" and "@", but one that begins with
    up to five digits and "/" is taken for a port and a path. A user of 16 or more characters counts as a token: its
    password may be shorter or missing.
    """
    cdef Py_ssize_t begin = at, least
    while at < end and at - begin <= USER_CHARS and text[at] != c':' and traits_of(tables, text[at]) & HOST:
        at += 1
    if at >= end or at - begin > USER_CHARS:
        return False
    if text[at] == c'@':
        return at - begin >= USER_TOKEN
    if text[at] != c':':
        return False
    least = 0 if at - begin >= USER_TOKEN else 3
    begin = at + 1
    at = begin
    while at < end and at - begin < 5 and c'0' <= text[at] <= c'9':
        at += 1
    if at > begin and at < end and text[at] == c'/':
        return False
    at = begin
    while at < end and at - begin <= 256:
        if text[at] == c'@' and at - begin >= least:
            return True
        if not traits_of(tables, text[at]) & HOST and text[at] != c'/' and text[at] != c'@':
            return False
        at += 1
    return False


cdef bint prefix_in(const PrefilterTables* tables, const letter* text, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Return whether a prefix of known keys, such as sk-, is in text[low:high]."""
    cdef Py_ssize_t at, k, size
    cdef uint32_t pair
    cdef int each
    for at in range(low, high - 1):
        if text[at] >= 128 or text[at + 1] >= 128:
            continue
        pair = 128 * <uint32_t>text[at] + <uint32_t>text[at + 1]
        if not tables.pairs[pair >> 3] >> (pair & 7) & 1:
            continue
        for each in range(tables.first[<uint32_t>text[at]], tables.first[<uint32_t>text[at] + 1]):
            size = tables.bounds[each + 1] - tables.bounds[each]
            if at + size > high:
                continue
            k = 1
            while k < size and text[at + k] == tables.letters[tables.bounds[each] + k]:
                k += 1
            if k == size:
                return True
    return False


cdef bint block_head_in(const letter* text, Py_ssize_t low, Py_ssize_t high) noexcept nogil:
    """Return whether -----BEGIN, the beginning of a PEM block such as a private key, is in text[low:high].

    Only every fifth character is read, because one of the five dashes must be among these.
    """
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


cdef inline bint is_prefix_mark(uint32_t c) noexcept nogil:
    """Return whether a character can separate a run of letters and digits from the rest of a key prefix.

    It is punctuation of prefixes, or a line end or backslash in a key that is broken over lines.
    """
    return c == c'.' or c == c'/' or c == c':' or c == c'=' or c == c'~' or c == c'\n' or c == c'\\'


cdef Py_ssize_t flag_end(const PrefilterTables* tables, const letter* text, Py_ssize_t at,
                         Py_ssize_t end) noexcept nogil:
    """Return the end of a command-line flag's name, which begins at `at`, behind its dashes.

    It is at most FLAG_CHARS behind `at`, and not behind `end`.
    """
    cdef Py_ssize_t stop = min(at + FLAG_CHARS, end)
    while at < stop and (text[at] == c'-' or traits_of(tables, text[at]) & (LOWER | UPPER)):
        at += 1
    return at


cdef int kinds_in(const PrefilterTables* tables, const letter* text, Py_ssize_t start, Py_ssize_t end) noexcept nogil:
    """Return the types of secrets possible in text[start:end], a bit set of KEY, NAMED, ADDRESS, HEADER and UNSEEN."""
    cdef int found = 0
    cdef bint values = False, valued = False
    cdef Py_ssize_t at, first, sign, run = start, done = start, flag = -1, flags = start
    cdef Py_ssize_t secret = start - 2 * NAME_CHARS, password = secret  # place of the last such name
    cdef uint16_t traits, seen = 0
    cdef uint32_t c
    for at in range(start, end + 1):
        c = text[at] if at < end else c' '
        traits = traits_of(tables, c)
        if traits & RUN:
            seen |= traits
        else:
            if at - run >= KEY_RUN:
                # a run of lower-case letters is an identifier
                if not found & KEY and seen & (LOWER | UPPER | DIGIT) != LOWER:
                    first = max(done, run - PREFIX_REACH) if run > start and is_prefix_mark(text[run - 1]) else run
                    if prefix_in(tables, text, first, at):
                        found |= KEY
                done = at
            values = values or at - run >= VALUE_RUN
            run = at + 1
            seen = 0
        if at == flag or traits & SIGN:
            sign = at + 1 if at == flag else at  # the name ends here
            if not found & NAMED and sign - max(secret, password) <= NAME_CHARS and value_at(tables, text, at + 1, end):
                if sign - password <= NAME_CHARS:
                    found |= NAMED
                valued = True
            if c == c':' and at + 2 < end and text[at + 1] == c'/' and text[at + 2] == c'/':
                if address_at(tables, text, at + 3, end):
                    found |= ADDRESS
        elif traits & LOOK:
            if c == c'[':
                if not found & UNSEEN and colour_at(text, at + 1, end):
                    found |= UNSEEN
                continue
            if c != KELVIN and (c >= 0x7F or c < 0x20):
                # a variation selector of an emoji hides nothing: no name or value contains the emoji
                if not (0xFE00 <= c <= 0xFE0F and at > start and text[at - 1] >= SYMBOLS):
                    found |= UNSEEN
                continue
            c = c | 0x20 if c < 128 else c'k'
            if c == c'-':
                if at >= flags and at + 1 < end and text[at + 1] == c'-':
                    flags = flag_end(tables, text, at + 2, end)
                    flag = flags if flags < end and text[flags] == c' ' else -1
            elif c == c'k':
                if word_at(text, start, end, at, b"key", 3):
                    secret = at
                elif word_at(text, start, end, at - 2, b"token", 5):
                    secret = at
                    if header_at(tables, text, at + 3, end):
                        found |= HEADER
            elif c == c'c':
                if word_at(text, start, end, at, b"cred", 4) or word_at(text, start, end, at - 2, b"secret", 6):
                    secret = at
            elif c == c'z':
                if word_at(text, start, end, at - 7, b"authorization", 13):
                    secret = at
            elif c == c'w':
                if word_at(text, start, end, at - 4, b"passw", 5) or word_at(text, start, end, at - 1, b"pwd", 3):
                    password = at
            elif c == c'p':
                if word_at(text, start, end, at, b"passphrase", 10):
                    password = at
            elif c == c'b':
                if word_at(text, start, end, at, b"bearer", 6) and header_at(tables, text, at + 6, end):
                    found |= HEADER
                elif word_at(text, start, end, at, b"basic", 5) and header_at(tables, text, at + 5, end):
                    found |= HEADER
    return found | NAMED if valued and values else found


cdef Py_ssize_t read_start(const letter* text, Py_ssize_t low) noexcept nogil:
    """Return the offset from which to read for a secret that begins before `low` and ends behind it.

    Such a secret begins behind a blank or a line end, which is searched for in at most TOKEN_REACH characters before
    `low`; NAME_REACH characters before that are read, too, for its name.
    """
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


cdef Py_ssize_t read_end(const letter* text, Py_ssize_t high, Py_ssize_t length) noexcept nogil:
    """Return the offset up to which to read for a secret that begins before `high` and ends behind it.

    Such a secret ends before a blank or a line end, which is searched for in at most TOKEN_REACH characters behind
    `high`. The text has `length` characters.
    """
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


cdef int scan(const PrefilterTables* tables, const letter* text, Py_ssize_t length, Py_ssize_t low, Py_ssize_t high,
              Py_ssize_t* start, Py_ssize_t* end) noexcept nogil:
    """Return the bit set of the types of secrets possible in text[low:high], KEY to UNSEEN; set start[0] and end[0].

    These are the range of characters that the redaction rules have to read. `letter` is the type of a character of the
    str: one, two or four bytes; `length` is its number of characters. Requires 0 <= low <= high <= length.
    """
    cdef int found
    start[0] = 0
    end[0] = length
    if low > 0 or high < length:
        start[0] = read_start(text, low)
        end[0] = read_end(text, high, length)
    found = kinds_in(tables, text, start[0], end[0])
    return found | BLOCK if block_head_in(text, max(0, low - BLOCK_REACH), high) else found


cdef class SecretPrefilter:
    """Prefilter of secrets for a list of key prefixes, str of two or more ASCII characters each.

    Immutable, so that threads can share it. Raises ValueError for a shorter prefix and for more than 512 of them.
    """

    cdef PrefilterTables tables
    cdef bytes letters

    def __cinit__(self, list starts not None):
        cdef list known = sorted({start.encode("ascii") for start in starts})
        cdef int at, c
        if len(known) > MAX_PREFIXES or any(len(start) < 2 for start in known):
            raise ValueError(f"at most {MAX_PREFIXES} prefixes of two letters or more, not {starts}")
        memset(&self.tables, 0, sizeof(PrefilterTables))
        self.letters = b"".join(known)
        self.tables.letters = self.letters
        for at, start in enumerate(known):
            self.tables.bounds[at + 1] = self.tables.bounds[at] + len(start)
            self.tables.pairs[(128 * start[0] + start[1]) >> 3] |= 1 << (start[1] & 7)
            for c in range(start[0] + 1, 129):
                self.tables.first[c] = at + 1
        for c in range(128):
            self.tables.traits[c] = traits_of_ascii(chr(c))

    def scan(self, str text not None, Py_ssize_t low, Py_ssize_t high):
        """Return (kinds, start, end) for secrets that overlap characters text[low:high].

        kinds: a bit set of KEY to UNSEEN, the types of secrets that are possible. start, end: the range of characters
        that the redaction rules have to read. The GIL is released. Raises ValueError for a range outside the text.
        O(high - low).
        """
        cdef Py_ssize_t length = len(text), start = 0, end = 0
        cdef int width = PyUnicode_KIND(<PyObject*>text), found
        cdef const void* data = PyUnicode_DATA(<PyObject*>text)
        if not 0 <= low <= high <= length:
            raise ValueError(f"[{low}, {high}) is outside a text of {length} characters")
        with nogil:
            if width == 1:
                found = scan(&self.tables, <const uint8_t*>data, length, low, high, &start, &end)
            elif width == 2:
                found = scan(&self.tables, <const uint16_t*>data, length, low, high, &start, &end)
            else:
                found = scan(&self.tables, <const uint32_t*>data, length, low, high, &start, &end)
        return found, start, end


cdef uint16_t traits_of_ascii(str c):
    """Return the traits of the ASCII character `c`, a bit set of RUN to LOOK: the roles it can have in a secret."""
    cdef dict members = {
        RUN: c.isalnum() or c in "_-",
        LOWER: c.islower(),
        UPPER: c.isupper(),
        DIGIT: c.isdigit(),
        VALUE: not c.isspace() and c not in "\"'`\\",
        TOKEN: c.isalnum() or c in "_.~+/=-",
        HOST: not c.isspace() and c not in "/@\"'<>",
        SIGN: c in "=:>",
        LOOK: c.lower() in "bckpwz-[" or (not c.isprintable() and c not in "\t\n\r"),
    }
    return sum(trait for trait, member in members.items() if member)

"""Names: the identifiers, paths and compounds that stand where words of a query match, as the passage writes them."""

from cpython.unicode cimport PyUnicode_1BYTE_DATA, PyUnicode_DecodeUTF8, PyUnicode_New

from recall_rank._core.rank.features cimport FormMatch

JOINERS = b"-./\\:@#"  # bytes that join the words of a name, besides the underscore, which is a byte of words


cdef bint is_word_byte(unsigned char byte) noexcept nogil:
    """Return whether a byte belongs to a word: a letter or digit, _ or $, or part of a character beyond ASCII.

    Bytes from 0xF8 on do not: they label the fields of a part.
    """
    return (c"a" <= byte | 0x20 <= c"z" or c"0" <= byte <= c"9" or byte == c"_" or byte == c"$"
            or 0x80 <= byte < 0xF8)


cdef bint is_joiner(unsigned char byte) noexcept nogil:
    """Return whether a byte is one of JOINERS."""
    return (byte == c"-" or byte == c"." or byte == c"/" or byte == c"\\" or byte == c":" or byte == c"@"
            or byte == c"#")


cdef class QueryName:
    """A name of the query: its words [first, last), as the query writes them.

    worth: what the name adds to the similarity of a candidate that holds it, 0 to 1. plain, written: Scorers that
    compare a name of a passage with it: by letters and digits in lower case (plain_name), and as both are written.
    joiners: the bytes among JOINERS that the query writes in it.
    """

    def __init__(self, int first, int last, double worth, plain not None, written not None, bytes joiners not None):
        cdef int byte
        if not 0 <= first < last:
            raise ValueError(f"a name has at least one word, not [{first}, {last})")
        self.first = first
        self.last = last
        self.worth = worth
        self.plain = plain
        self.written = written
        for byte in range(256):
            self.inside[byte] = is_word_byte(byte) or byte in joiners

    cdef list names_at(self, const unsigned char* text, Py_ssize_t size, const FormMatch* matches, Py_ssize_t count):
        """Return the distinct names in text[0:size] that hold matches of the words of this one, a list of str.

        `matches` are those of the passage `text`, in order of position. A name reaches from a match in both directions
        over bytes of words and over the joiners that the query's name has: `a.load` holds the name `load`, but the path
        `src/load.py` is found whole for a path. Two names with one joiner between them are one if the second one's
        match continues the first one's, so that an identifier finds words that the passage joins in another way.
        Joiners at the end are left out. Invalid UTF-8 becomes U+FFFD. O(size + count).
        """
        cdef Py_ssize_t k, start, end, name_start = 0, name_end = -1
        cdef int reached = 0
        cdef dict found = {}
        for k in range(count):
            if matches[k].slot >= self.last or matches[k].slot + matches[k].span <= self.first:
                continue
            start, end = matches[k].start, matches[k].end
            if start < name_end:
                reached = max(reached, matches[k].slot + matches[k].span)
                continue
            while start > max(0, name_end) and self.inside[text[start - 1]]:
                start -= 1
            while end < size and self.inside[text[end]]:
                end += 1
            if start != name_end + 1 or not is_joiner(text[name_end]) or matches[k].slot != reached:
                add_name(found, text, name_start, name_end)
                name_start = start
            name_end = end
            reached = matches[k].slot + matches[k].span
        add_name(found, text, name_start, name_end)
        return list(found)


cdef int add_name(dict found, const unsigned char* text, Py_ssize_t start, Py_ssize_t end) except -1:
    """Add text[start:end], without the joiners at its end, as a str to the keys of `found`; nothing if it is empty."""
    while end > start and is_joiner(text[end - 1]):
        end -= 1
    if end > start:
        found[PyUnicode_DecodeUTF8(<const char*>text + start, end - start, "replace")] = None
    return 0


def plain_name(str name not None, fold not None):
    """Return the letters and digits of a name in lower case: one text for all spellings of a compound.

    fold is a function str -> str that turns text into lower case; it is called only for names with other characters
    than ASCII.
    """
    cdef Py_ssize_t k, size = 0
    cdef const unsigned char* source
    cdef unsigned char* to
    cdef unsigned char byte
    cdef str small
    if not name.isascii():
        return "".join(filter(str.isalnum, fold(name)))
    source = <const unsigned char*>PyUnicode_1BYTE_DATA(name)
    for k in range(len(name)):
        size += c"a" <= source[k] | 0x20 <= c"z" or c"0" <= source[k] <= c"9"
    small = PyUnicode_New(size, 0x7F)
    to = <unsigned char*>PyUnicode_1BYTE_DATA(small)
    size = 0
    for k in range(len(name)):
        byte = source[k]
        if c"a" <= byte | 0x20 <= c"z" or c"0" <= byte <= c"9":
            to[size] = byte | 0x20  # digits have this bit, too
            size += 1
    return small

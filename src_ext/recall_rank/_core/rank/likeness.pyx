"""Likeness of passages: finds near duplicates, which take one place among the results.

Of each passage a sketch is made: a one-permutation MinHash (Li, Owen and Zhang, 2012) of its pairs of neighbouring
words. The share of equal places of two sketches estimates the Jaccard similarity of the pairs, with a standard error of
sqrt(s * (1 - s) / 64), that is .05 at a similarity of .8.
"""

from cpython.array cimport array as Array
from cpython.array cimport clone
from cpython.mem cimport PyMem_RawFree
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from recall_rank._core.rank.candidate cimport COVERAGE, EXACT, MATCHED, NEAR, PHRASE, START, WINDOW
from recall_rank._core.rank.candidate cimport WINDOW_WORDS, WORDS, Candidate
from recall_rank._core.rank.features cimport FormMatch, QueryWords
from recall_rank._core.rank.matcher cimport Matcher

from array import array

cdef Array OFFSETS = array("Q")  # the type of new arrays

cdef enum:
    PLACES = 64
    NEARBY = 160        # bytes before and behind the beginning of a window: some 50 words
    MARKS = 2           # of 64 bits
    ARROW_BYTES = 3
    LABELS = 0xF8       # the least byte that labels a field
    CHARACTERS = 0xE0   # the least first byte of a character of three or four bytes
    NOT_ASCII = 0x80

cdef float LEAST_WORDS = 0.75  # fewer are not .8 of the pairs unless words repeat; numbers of lines are words, too
cdef uint64_t FNV_START = <uint64_t>0xCBF29CE484222325
cdef uint64_t FNV_FACTOR = <uint64_t>0x100000001B3
cdef uint32_t EMPTY = 0xFFFFFFFF

cdef unsigned char[256] LETTERS  # the lower case of each byte of a word, 0 for any other
cdef int each
for each in range(256):
    LETTERS[each] = 0
    if chr(each) == "_" or each < NOT_ASCII and chr(each).isalnum():
        LETTERS[each] = ord(chr(each).lower())
    elif NOT_ASCII <= each < CHARACTERS:
        LETTERS[each] = each


cdef class Sketch:
    """The least numbers of the pairs of words of a passage at 64 places, and marks of the forms of the query's words
    that match in it.
    """

    cdef uint32_t[PLACES] least
    cdef uint64_t[MARKS] marks

    @property
    def numbers(self):
        """The least number at each place, 2 ** 32 - 1 where there is no pair."""
        return [self.least[k] for k in range(PLACES)]

    @property
    def forms(self):
        """An integer with two bits of 128 set for each different form, in lower case, of a query's word that counts."""
        return self.marks[0] | (<object>self.marks[1] << 64)


cdef inline uint64_t mixed(uint64_t number) noexcept nogil:
    number = (number ^ number >> 32) * <uint64_t>0xD6E8FEB86659FD93
    return number ^ number >> 32


cdef inline Py_ssize_t behind_number(const unsigned char* text, Py_ssize_t at, Py_ssize_t end) noexcept nogil:
    """Return the offset behind a number of the line that begins at `at`, as programs that show files write it: blanks,
    digits, and an arrow, a tab, a colon or a bar, which is not skipped unless it is an arrow. Else return `at`.
    """
    cdef Py_ssize_t behind = at, first
    while behind < end and (text[behind] == c" " or text[behind] == c"\t"):
        behind += 1
    first = behind
    while behind < end and c"0" <= text[behind] <= c"9":
        behind += 1
    if behind == first or behind == end:
        return at
    if text[behind] == c"\t" or text[behind] == c":" or text[behind] == c"|":
        return behind
    if end - behind >= ARROW_BYTES and text[behind] == 0xE2 and text[behind + 1] == 0x86 and text[behind + 2] == 0x92:
        return behind + ARROW_BYTES
    return at


cdef void read_pairs(const unsigned char* text, Py_ssize_t at, Py_ssize_t end, uint32_t* least) noexcept nogil:
    """Reduce least[0:PLACES] to the numbers of the pairs of neighbouring words in text[at:end]. O(bytes)."""
    cdef uint64_t word, before = 0, pair
    cdef uint32_t number
    cdef bint first = True
    at = behind_number(text, at, end)
    while at < end:
        word = FNV_START
        if LETTERS[text[at]]:
            while at < end and LETTERS[text[at]]:
                word = (word ^ LETTERS[text[at]]) * FNV_FACTOR
                at += 1
        elif CHARACTERS <= text[at] < LABELS:
            word = (word ^ text[at]) * FNV_FACTOR
            at += 1
            while at < end and text[at] & 0xC0 == NOT_ASCII:
                word = (word ^ text[at]) * FNV_FACTOR
                at += 1
        else:
            at += 1
            if text[at - 1] == c"\n" or text[at - 1] >= LABELS:
                at = behind_number(text, at, end)
            continue
        if not first:
            pair = mixed(before * <uint64_t>0x9E3779B97F4A7C15 + word)
            number = <uint32_t>(pair >> 32)
            if number < least[pair % PLACES]:
                least[pair % PLACES] = number
        before = word
        first = False


cdef void mark_forms(const unsigned char* text, const FormMatch* matches, Py_ssize_t count,
                     const QueryWords* query, uint64_t* marks) noexcept nogil:
    """Set two bits of `marks` for each different form, in lower case, of a word that counts, in the passage `text`."""
    cdef Py_ssize_t k, at
    cdef uint64_t word
    for k in range(count):
        if not query.counted[matches[k].slot]:
            continue
        word = FNV_START + matches[k].slot
        for at in range(matches[k].start, matches[k].end):
            word = (word ^ (text[at] | 0x20 if c"A" <= text[at] <= c"Z" else text[at])) * FNV_FACTOR
        word = mixed(word)
        marks[0] |= <uint64_t>1 << word % 64
        marks[1] |= <uint64_t>1 << (word >> 32) % 64


cdef inline bint is_alike(Sketch one, Sketch other, double share) noexcept nogil:
    """Return whether two sketches have equal marks, and equal numbers at `share` or more of the places that either has.
    """
    cdef int k, equal = 0, empty = 0
    if one.marks[0] != other.marks[0] or one.marks[1] != other.marks[1]:
        return False
    for k in range(PLACES):
        equal += one.least[k] == other.least[k]
        empty += one.least[k] & other.least[k] == EMPTY
    return equal > empty and equal - empty >= share * (PLACES - empty)


cdef inline bint may_be_alike(const float* one, const float* other) noexcept nogil:
    """Return whether two passages may be near duplicates: their features of the query's words are equal, and of their
    numbers of words the smaller is LEAST_WORDS or more of the larger.
    """
    return (one[COVERAGE] == other[COVERAGE] and one[MATCHED] == other[MATCHED] and one[EXACT] == other[EXACT]
            and one[WINDOW] == other[WINDOW] and one[PHRASE] == other[PHRASE] and one[NEAR] == other[NEAR]
            and one[WINDOW_WORDS] == other[WINDOW_WORDS]
            and min(one[WORDS], other[WORDS]) >= LEAST_WORDS * max(one[WORDS], other[WORDS]))


def comparable(list candidates not None, float words):
    """Return the places of the candidates that may be near duplicates of another one by their features, ascending.

    Both were read and have `words` or more words, and their query's words match in equal number and likeness: all
    features that tell of these are equal, down to the number of words in the densest window. At least one word matches.
    One passage has at most a third more words than the other. O(n ** 2).
    """
    cdef Py_ssize_t count = len(candidates), k, other
    cdef Candidate one, two
    cdef bytearray marks = bytearray(count)
    for k in range(count):
        one = <Candidate?>candidates[k]
        if not one.row[MATCHED] or one.row[WORDS] < words:
            continue
        for other in range(k + 1, count):
            two = <Candidate?>candidates[other]
            if (not marks[k] or not marks[other]) and two.row[WORDS] >= words and may_be_alike(one.row, two.row):
                marks[k] = marks[other] = 1
    return [k for k in range(count) if marks[k]]


def sketches(Matcher matcher not None, text_between not None, const uint64_t[::1] doc_start not None,
             Py_ssize_t first_doc, list candidates not None, bint whole):
    """Return a list of the Sketches of the passages of candidates that `matcher` has measured, all of one segment.

    text_between, doc_start and first_doc are those of SegmentTexts. Without `whole`, a sketch is only of the NEARBY
    bytes before and behind the beginning of the densest window, and has no marks of forms: what a closer look costs is
    spared for passages that differ there.

    A word is a run of ASCII letters, digits and _, in lower case, and of characters of two bytes; a character of three
    or four bytes is one by itself, since scripts of such characters have no blanks between words. Numbers of lines do
    not count. Raises IndexError for a candidate of another segment. O(bytes).
    """
    cdef Py_ssize_t count = len(candidates), k, doc, found
    cdef Array starts = clone(OFFSETS, count, False), ends = clone(OFFSETS, count, False)
    cdef const unsigned char[::1] text
    cdef const FormMatch* matches
    cdef FormMatch* own
    cdef Candidate candidate
    cdef Sketch one
    cdef uint64_t start, end, at
    for k in range(count):
        doc = (<Candidate?>candidates[k]).doc - first_doc
        if not 0 <= doc < doc_start.shape[0] - 1:
            raise IndexError(f"document {doc + first_doc} is not in this segment")
        starts.data.as_ulonglongs[k] = doc_start[doc]
        ends.data.as_ulonglongs[k] = doc_start[doc + 1]
    text = text_between(starts, ends)
    result = []
    for k in range(count):
        candidate = candidates[k]
        one = Sketch.__new__(Sketch)
        memset(one.least, 0xFF, sizeof(one.least))
        result.append(one)
        start, end = starts.data.as_ulonglongs[k], ends.data.as_ulonglongs[k]
        if start > end or end > <uint64_t>text.shape[0]:
            raise IndexError(f"no range {start}:{end} in {text.shape[0]} bytes")
        if start == end:
            continue
        if not whole:
            at = min(start + <uint64_t>max(candidate.row[START], 0), end)
            read_pairs(&text[0], max(start, at - min(at, NEARBY)), min(end, at + NEARBY), one.least)
            continue
        own, found = NULL, 0
        matches = matcher.matches_of(text, start, end, &found, &own)
        mark_forms(&text[start], matches, found, &matcher.query, one.marks)
        read_pairs(&text[0], start, end, one.least)
        PyMem_RawFree(own)
    return result


def resembling(list sketches not None, double share):
    """Return the places of the sketches that have equal numbers, and marks, with another one at `share` or more of the
    places that either has, ascending. O(n ** 2).
    """
    cdef Py_ssize_t count = len(sketches), k, other
    cdef bytearray marks = bytearray(count)
    for k in range(count):
        for other in range(k + 1, count):
            if (not marks[k] or not marks[other]) and is_alike(<Sketch?>sketches[k], <Sketch?>sketches[other], share):
                marks[k] = marks[other] = 1
    return [k for k in range(count) if marks[k]]


def families(list sketches not None, list sessions not None, kind not None, double within, double between):
    """Return for each of the sketches the place of the first one of its family, which may be its own place.

    A sketch belongs to the family of the first one before it that is the first of a family, is of its kind, has equal
    marks of forms, and equal numbers at so large a share of the places that either has: `within` or more where both
    have an equal number in `sessions`, else `between` or more. kind(place) is a value that is compared, or None where
    nothing is of that kind; it is called at most once for a place, and only where two sketches are so similar.
    Raises ValueError when there are not as many sessions as sketches. O(n * families).
    """
    cdef Py_ssize_t count = len(sketches), k, first
    cdef list firsts = [], kinds = [None] * count
    cdef bytearray asked = bytearray(count)
    cdef Sketch one
    cdef double share
    if len(sessions) != count:
        raise ValueError(f"there are {count} sketches, not {len(sessions)}")
    for k in range(count):
        one = <Sketch?>sketches[k]
        firsts.append(k)
        for first in range(k):
            share = within if sessions[first] == sessions[k] else between
            if firsts[first] != first or not is_alike(one, <Sketch>sketches[first], share):
                continue
            for place in (first, k):
                if not asked[place]:
                    asked[place] = 1
                    kinds[place] = kind(place)
            if kinds[k] is not None and kinds[k] == kinds[first]:
                firsts[k] = first
                break
    return firsts

"""Rerank candidates, that is hits to be ranked: read their passages, compare, boost and order them.

Each function works on all candidates of a search, or of one of its segments, in one call.
"""

from cpython.array cimport array as Array
from cpython.array cimport clone
from libc.math cimport pow
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy

from recall_rank._core.index.doc_columns cimport KIND_BITS, PEOPLE, PROSE, WORK, DocColumns
from recall_rank._core.rank.candidate cimport (BOOST_COUNT, COVERAGE, CUES, MATCHED, NEAR, PHRASE, WINDOW, WORDS,
                                               Candidate)
from recall_rank._core.rank.features cimport FEATURES
from recall_rank._core.rank.matcher cimport Matcher
from recall_rank._core.rank.passage_names cimport QueryName

from array import array

from recall_rank._core.rank.candidate import BOOSTS
from recall_rank._core.rank.passage_names import plain_name
from recall_rank._core.text.substring_scan import find, first_standalone, mark_ranges

cdef Array OFFSETS = array("Q")  # the types of new arrays: byte offsets of a text,
cdef Array FLOATS = array("f")   # features
cdef Array DOUBLES = array("d")  # and similarities

cdef enum:
    REACH = 65536       # bytes of a part around a passage in which the whole query and quoted phrases are searched
    MOST_PLACES = 16    # occurrences of the whole query that are looked at
    USER = 1            # model.Kind of a person's words to an agent
    ORDER = 11          # and of those that hold from then on


cdef double LEAST_SIMILARITY = 0.83  # of a name that stands for one of the query: one edit in six characters, since
# names are longer than words; a name that only shares a word with it is none


cdef class RerankQuery:
    """The texts of a query that measure() looks for near the passages of candidates.

    whole: the whole query, folded, or b"" to leave it out. It is looked for near a passage whose feature `phrase` is
    above `least_phrase`; an occurrence inside of a longer name does not count. phrases: the quoted phrases, folded.
    names: the QueryNames whose matches are read. width: the number of words of the densest window.
    """

    cdef Matcher matcher
    cdef bytes whole
    cdef list phrases
    cdef list names
    cdef int width
    cdef float least_phrase
    cdef uint64_t reach

    def __init__(self, Matcher matcher not None, bytes whole not None, list phrases not None, list names not None, *,
                 int width, float least_phrase):
        self.matcher = matcher
        self.whole = whole
        self.phrases = phrases
        self.names = names
        self.width = width
        self.least_phrase = least_phrase
        self.reach = max(REACH, len(whole), max([len(phrase) for phrase in phrases], default=0))


cdef class SegmentTexts:
    """The text of one segment, and the columns that locate parts and passages in it.

    text_between(starts, ends), both u64[n], returns the whole text, of which bytes [starts[k], ends[k]) may be read.
    doc_start, u64[docs + 1], and part_start, u64[parts + 1], are byte offsets in that text; part_first_doc, u32[parts +
    1], are document numbers in the segment. A candidate's document less first_doc, and its part less first_part, are
    their numbers in the segment. `columns` are those of its documents.
    """

    cdef object text_between
    cdef const uint64_t[::1] doc_start
    cdef const uint64_t[::1] part_start
    cdef const uint32_t[::1] part_first_doc
    cdef DocColumns columns
    cdef Py_ssize_t first_doc
    cdef Py_ssize_t first_part

    def __init__(self, text_between not None, const uint64_t[::1] doc_start not None,
                 const uint64_t[::1] part_start not None, const uint32_t[::1] part_first_doc not None,
                 DocColumns columns not None, Py_ssize_t first_doc=0, Py_ssize_t first_part=0):
        self.text_between = text_between
        self.doc_start = doc_start
        self.part_start = part_start
        self.part_first_doc = part_first_doc
        self.columns = columns
        self.first_doc = first_doc
        self.first_part = first_part
        if part_start.shape[0] != part_first_doc.shape[0]:
            raise ValueError("part_start and part_first_doc differ in length")
        if columns.docs != doc_start.shape[0] - 1 or columns.parts != part_start.shape[0] - 1:
            raise ValueError("the columns are of another segment")

    cdef Py_ssize_t own_doc(self, Py_ssize_t doc) except -1:
        """Return the number in this segment of document `doc` of the reader. Raises IndexError if it is in another."""
        if not 0 <= doc - self.first_doc < self.doc_start.shape[0] - 1:
            raise IndexError(f"document {doc} is not in this segment")
        return doc - self.first_doc

    cdef Py_ssize_t own_part(self, Py_ssize_t part) except -1:
        """Return the number in this segment of part `part` of the reader. Raises IndexError if it is in another."""
        if not 0 <= part - self.first_part < self.part_start.shape[0] - 1:
            raise IndexError(f"part {part} is not in this segment")
        return part - self.first_part

    def mark_holding(self, list docs not None, bytes whole not None):
        """Return u8[len(docs)], a bytearray: 1 for each document whose passage contains `whole` in any case.

        `whole` is a folded text.
        """
        cdef Py_ssize_t count = len(docs), k, doc
        cdef Array starts = clone(OFFSETS, count, False), ends = clone(OFFSETS, count, False)
        for k in range(count):
            doc = self.own_doc(docs[k])
            starts.data.as_ulonglongs[k] = self.doc_start[doc]
            ends.data.as_ulonglongs[k] = self.doc_start[doc + 1]
        marks = bytearray(count)
        mark_ranges(self.text_between(starts, ends), starts, ends, whole, marks)
        return marks

    def measure(self, list candidates not None, RerankQuery query not None, int64_t deadline_ns=0):
        """Read the passages of the segment's candidates and set their features, `whole`, `quoted` and `names`.

        Where the whole query occurs near the passage of a candidate, the document of that occurrence becomes the
        candidate's document, and is the one that is measured. Return True; False when deadline_ns, a
        time.monotonic_ns(), 0 for none, passed before the last passage was read: some candidates may be changed then.
        Raises IndexError for a candidate of another segment. O(bytes read).
        """
        if not self.measure_docs(candidates, query, deadline_ns):
            return False
        if query.whole:
            moved = self.find_whole([candidate for candidate in candidates
                                     if (<Candidate>candidate).row[PHRASE] > query.least_phrase], query)
            if not self.measure_docs(moved, query, deadline_ns):
                return False
        if query.phrases:
            self.find_quoted(candidates, query)
        if query.names:
            self.read_names(candidates, query)
        return True

    cdef bint measure_docs(self, list candidates, RerankQuery query, int64_t deadline_ns) except -1:
        """Read the documents of the candidates and set their features; False when the deadline passed before the end.
        """
        cdef Py_ssize_t count = len(candidates), k, doc, part
        cdef uint32_t session
        cdef Array features = clone(FLOATS, count * FEATURES, False)
        cdef Candidate candidate
        starts, ends = self.passages(candidates)
        if query.matcher.measure_passages(self.text_between(starts, ends), starts, ends, query.width,
                                          features.data.as_floats, deadline_ns) < count:
            return False
        for k in range(count):
            candidate = candidates[k]
            memcpy(candidate.row, features.data.as_floats + k * FEATURES, FEATURES * sizeof(float))
            doc, part = self.own_doc(candidate.doc), self.own_part(candidate.part)
            session = self.columns.message_session[self.columns.part_message[part]]
            candidate.kind = self.columns.doc_class[doc] & KIND_BITS
            candidate.people = self.columns.session_talk[session] == PEOPLE
            candidate.works = self.columns.session_talk[session] == WORK
            candidate.size = self.part_start[part + 1] - self.part_start[part]
            candidate.was_read = True
        return True

    cdef tuple passages(self, list candidates):
        """Return two arrays (starts, ends) of byte offsets in the text: the passage of each candidate."""
        cdef Py_ssize_t count = len(candidates), k, doc
        cdef Array starts = clone(OFFSETS, count, False), ends = clone(OFFSETS, count, False)
        cdef Candidate candidate
        for k in range(count):
            candidate = <Candidate?>candidates[k]
            self.own_part(candidate.part)
            doc = self.own_doc(candidate.doc)
            starts.data.as_ulonglongs[k] = self.doc_start[doc]
            ends.data.as_ulonglongs[k] = self.doc_start[doc + 1]
        return starts, ends

    cdef tuple surroundings(self, list candidates, uint64_t reach):
        """Return two arrays (starts, ends) of byte offsets in the text: the surroundings of each candidate's passage.

        They are the passage and `reach` bytes on both sides of it, as far as its part goes.
        """
        cdef Py_ssize_t count = len(candidates), k, doc, part
        cdef Array starts = clone(OFFSETS, count, False), ends = clone(OFFSETS, count, False)
        cdef Candidate candidate
        cdef uint64_t start, end
        for k in range(count):
            candidate = candidates[k]
            doc, part = self.own_doc(candidate.doc), self.own_part(candidate.part)
            start, end = self.doc_start[doc], self.doc_start[doc + 1]
            # neither difference nor sum overflows
            starts.data.as_ulonglongs[k] = max(self.part_start[part], start - min(start, reach))
            ends.data.as_ulonglongs[k] = min(self.part_start[part + 1], end + min(~end, reach))
        return starts, ends

    cdef list find_whole(self, list candidates, RerankQuery query):
        """Set `whole` of the candidates near whose passages the whole query occurs: 1, or 0 inside of a longer name.

        The document of such a candidate becomes the one that contains the occurrence. Return the candidates that got
        another document.
        """
        cdef Candidate candidate
        cdef Py_ssize_t first, doc
        moved = []
        if not candidates:
            return moved
        starts, ends = self.surroundings(candidates, query.reach)
        found = first_standalone(self.text_between(starts, ends), starts, ends, query.whole, MOST_PLACES)
        for candidate, (at, alone) in zip(candidates, found):
            if at >= 0:
                candidate.whole = 1.0 if alone else 0.0
                first = self.own_part(candidate.part)
                # its words may be densest in another passage than the one that holds them in order
                doc = self.first_doc + self.doc_at(at, self.part_first_doc[first], self.part_first_doc[first + 1])
                if doc != candidate.doc:
                    candidate.doc = doc
                    moved.append(candidate)
        return moved

    cdef Py_ssize_t doc_at(self, uint64_t offset, Py_ssize_t first, Py_ssize_t last) noexcept nogil:
        """Return the last document in [first, last) that begins at or before byte `offset`, or first - 1."""
        cdef Py_ssize_t half
        while first < last:
            half = (first + last) // 2
            if offset < self.doc_start[half]:
                last = half
            else:
                first = half + 1
        return first - 1

    cdef int find_quoted(self, list candidates, RerankQuery query) except -1:
        """Set `quoted` of each candidate: the share, 0 to 1, of the quoted phrases that occur in or near its passage.

        Near is within query.reach bytes of the passage, in the text of its part.
        """
        cdef Candidate candidate
        starts, ends = self.surroundings(candidates, query.reach)
        text = memoryview(self.text_between(starts, ends))
        for candidate, start, end in zip(candidates, starts, ends):
            held = [phrase for phrase in query.phrases if find(text[start:end], phrase) >= 0]
            candidate.quoted = <double>len(held) / len(query.phrases)
        return 0

    cdef int read_names(self, list candidates, RerankQuery query) except -1:
        """Set `names` of each candidate, whose document was measured."""
        cdef Candidate candidate
        starts, ends = self.passages(candidates)
        text = self.text_between(starts, ends)
        for candidate, start, end in zip(candidates, starts, ends):
            if candidate.row[MATCHED]:
                candidate.names = query.matcher.names(text, start, end, query.names)
            else:
                candidate.names = [[] for _ in query.names]
        return 0


def compare(list candidates not None, list names not None, fold not None, int64_t deadline_ns=0):
    """Set `similarity` of every candidate and return True; or return False, and set none, when the deadline came first.

    names are the QueryNames for which the candidates were read. Of all names that the candidates hold, those nearest to
    a name of the query by its scorer `plain`, LEAST_SIMILARITY or more, stand for it, as a spelling checker takes the
    nearest word; of equally near ones those that are spelt most like it, by its scorer `written`. A candidate that
    holds one gets their similarity times the name's worth. fold is a function str -> str that turns text into lower
    case. deadline_ns is a time.monotonic_ns(), 0 for none.
    """
    cdef Py_ssize_t count = len(candidates), k, n
    cdef double[::1] totals
    cdef Candidate candidate
    cdef QueryName name
    cdef double value, best
    if not count:
        return True  # clone() would fill an array that has no memory
    totals = clone(DOUBLES, count, True)
    for n in range(len(names)):
        name = <QueryName?>names[n]
        texts = [*dict.fromkeys([text for candidate in candidates for text in (<Candidate?>candidate).names[n]])]
        values = nearest(texts, name, fold, deadline_ns)
        if values is None:
            return False
        for k in range(count):
            candidate = candidates[k]
            best = 0
            for text in candidate.names[n]:
                value = values.get(text, 0.0)
                best = max(best, value)
            totals[k] += name.worth * best
    for k in range(count):
        candidate = candidates[k]
        candidate.similarity = totals[k]
    return True


cdef dict nearest(list texts, QueryName name, fold, int64_t deadline_ns):
    """Return a dict with the names among `texts` that stand for a name of the query, and what they are worth, 0 to 1.

    See compare(). None when the deadline passed first.
    """
    cdef Py_ssize_t count = len(texts), k
    cdef double[::1] scores, written
    cdef double top = 0, most = 0
    if count == 0:
        return {}
    scores = clone(DOUBLES, count, True)
    if name.plain.scores([plain_name(text, fold) for text in texts], scores, deadline_ns) < count:
        return None
    for k in range(count):
        top = max(top, scores[k])
    if top < LEAST_SIMILARITY:
        return {}
    near = [texts[k] for k in range(count) if scores[k] == top]
    count = len(near)
    written = clone(DOUBLES, count, True)
    if count > 1 and name.written.scores(near, written, deadline_ns) < count:
        return None
    for k in range(count):
        most = max(most, written[k])
    return {near[k]: top for k in range(count) if written[k] == most}


def boost(list candidates not None, worth not None, double long_part):
    """Set boosts, raw, own and score of every candidate from its features, `quoted`, `whole`, `similarity`, `extra` and
    `meaning`.

    `worth` has an attribute for each of BOOSTS, the greatest share of the evidence that it adds. Three depend on who
    talks, and are 0 between people: "missing" is subtracted as far as the passage lacks the query's words, by their
    weights; "scattered" is subtracted from an agent's prose as far as the densest window lacks them, in proportion to
    the size of the part up to `long_part` bytes; "repeated" is added to a person's words as far as they are words of
    the query, and hold it.
    """
    cdef double window, phrase, near, quoted, whole, cue, scorer, missing, scattered, repeated
    cdef Py_ssize_t k
    cdef Candidate one
    cdef double total, own
    window, phrase, near, quoted, whole, cue, scorer, missing, scattered, repeated = [
        getattr(worth, name) for name in BOOSTS]
    for candidate in candidates:
        one = <Candidate?>candidate
        one.shares[0] = window * one.row[WINDOW]
        one.shares[1] = phrase * one.row[PHRASE]
        one.shares[2] = near * one.row[NEAR]
        one.shares[3] = quoted * one.quoted
        one.shares[4] = whole * one.whole
        one.shares[5] = cue if one.row[CUES] else 0
        one.shares[6] = scorer * one.similarity
        one.shares[7] = one.shares[8] = one.shares[9] = 0
        if not one.people:
            one.shares[7] = -missing * (1 - one.row[COVERAGE])
            if one.kind == PROSE:
                one.shares[8] = -scattered * (1 - one.row[WINDOW]) * min(1.0, one.size / long_part)
            elif one.kind == USER or one.kind == ORDER:
                own = one.row[MATCHED] / max(<float>1, one.row[WORDS])
                one.shares[9] = repeated * one.row[COVERAGE] * min(1.0, own)
        total = 0
        for k in range(BOOST_COUNT):
            total += one.shares[k]
        one.raw = one.own = one.score = one.evidence * (1 + total) + one.extra + one.meaning
        one.was_boosted = True


cdef struct RankKey:
    double score
    int64_t time
    Py_ssize_t index  # of the candidate


cdef int compare_keys(const void* one, const void* other) noexcept nogil:
    """Return a negative number when `one` ranks first: by higher score, then newer time, then lower index."""
    cdef const RankKey* a = <const RankKey*>one
    cdef const RankKey* b = <const RankKey*>other
    if a.score != b.score:
        return -1 if a.score > b.score else 1
    if a.time != b.time:
        return -1 if a.time > b.time else 1
    return -1 if a.index < b.index else a.index > b.index


def order(list candidates not None, names not None):
    """Return a list of the candidates by descending score, then newer first, then ascending names(candidate).

    `names` is called only for candidates whose score and time are equal. O(n log n).
    """
    cdef Py_ssize_t count = len(candidates), k, first = 0
    cdef Candidate candidate
    cdef bytearray memory = bytearray(count * sizeof(RankKey))
    cdef RankKey* keys = <RankKey*><char*>memory
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        keys[k] = RankKey(candidate.score, candidate.time, k)
    qsort(keys, count, sizeof(RankKey), compare_keys)
    found = [candidates[keys[k].index] for k in range(count)]
    for k in range(1, count + 1):
        if k < count and keys[k].score == keys[first].score and keys[k].time == keys[first].time:
            continue
        if k - first > 1:
            found[first:k] = sorted(found[first:k], key=names)
        first = k
    return found


def diversify(list candidates not None, list sessions not None, Py_ssize_t most, double share):
    """Return the indices of `candidates` in an order in which close hits of others precede many hits of one session.

    sessions[k] is the session of candidates[k]; candidates come best first. The first `most` candidates of a session
    keep their places; the next is placed as if its score were multiplied by `share`, the one after it by the square of
    `share`, and so on. Candidates of equal score keep their order. O(n log n).
    """
    cdef Py_ssize_t count = len(candidates), k, earlier
    cdef Candidate candidate
    cdef dict seen = {}
    cdef bytearray memory = bytearray(count * sizeof(RankKey))
    cdef RankKey* keys = <RankKey*><char*>memory
    if len(sessions) != count:
        raise ValueError(f"there are {count} candidates, not {len(sessions)}")
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        earlier = seen.get(sessions[k], 0)
        seen[sessions[k]] = earlier + 1
        keys[k] = RankKey(candidate.score, 0, k)
        if earlier >= most:
            keys[k].score *= pow(share, earlier + 1 - most)
    qsort(keys, count, sizeof(RankKey), compare_keys)
    return [keys[k].index for k in range(count)]

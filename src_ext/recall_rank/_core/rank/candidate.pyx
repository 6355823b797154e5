"""A part on its way to a result: what the stages hand to each other, and what they do to many of them alike."""

from cpython.array cimport array as Array
from cpython.array cimport clone
from libc.math cimport exp, log, pow
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from recall_rank._core.rank.features cimport FEATURES
from recall_rank._core.search.hits cimport Hit, Hits

from array import array

cdef Array PLACES = array("Q")  # what clone() makes more of: bytes in a text

cdef enum:
    SHARES = 8
    SIGNS = 6
    COVERAGE = 0  # places in FEATURE_NAMES
    WINDOW = 1
    PHRASE = 2
    NEAR = 3
    MATCHED = 4
    START = 6
    END = 7
    WORDS = 8
    CUES = 9

BOOSTS = ("window", "phrase", "near", "quoted", "whole_query", "cue", "scorer", "recency")


cdef class Candidate:
    """A part, what is known of it so far, and its score as it grows."""

    cdef public Py_ssize_t part
    cdef public Py_ssize_t doc
    cdef public int64_t time        # of its message, ms
    cdef public double evidence     # the prefilter's, with neighbours and session, over what the query could give
    cdef public double quoted       # share of the query's quoted phrases that stand there
    cdef public double whole        # the whole query stands there as it was written: 1, less inside a longer name
    cdef public double similarity   # rapidfuzz, 0 to 1; 0 where it did not run
    cdef public double extra        # the caller's own signal, weighted
    cdef public double others       # where sessions are ranked: what further messages of its session add
    cdef public double raw          # the score before calibration: evidence times (1 + boosts) plus extra and others
    cdef public double score
    cdef public double sure         # the chance that its session is the right one
    cdef public str confidence
    cdef public str stage
    cdef float[FEATURES] row        # zeros where it was not read
    cdef double[SHARES] shares
    cdef bint was_read
    cdef bint was_boosted

    def __init__(self, Py_ssize_t part, Py_ssize_t doc, double evidence, int64_t time=0, str stage="prefilter"):
        self.begin(part, doc, evidence, time, stage)

    cdef int begin(self, Py_ssize_t part, Py_ssize_t doc, double evidence, int64_t time, str stage) except -1:
        self.part = part
        self.doc = doc
        self.time = time
        self.evidence = self.raw = self.score = evidence
        self.confidence = "low"
        self.stage = stage
        return 0

    @property
    def features(self):
        """Measures of its passage, in the order of FEATURE_NAMES; empty where it was not read."""
        return tuple([self.row[k] for k in range(FEATURES)]) if self.was_read else ()

    @property
    def phrase(self):
        """Of its features the share of the query that stands there in one run; 0 where it was not read."""
        return self.row[PHRASE]

    @property
    def boosts(self):
        """Shares of the evidence, in the order of BOOSTS; empty where boost() did not run."""
        return tuple([self.shares[k] for k in range(SHARES)]) if self.was_boosted else ()

    def forget(self):
        """Stand again for its evidence alone."""
        self.was_read = self.was_boosted = False
        memset(self.row, 0, sizeof(self.row))
        self.quoted = self.whole = self.similarity = self.extra = self.others = 0
        self.raw = self.score = self.evidence

    def stand_for(self, Candidate other not None):
        """Take the place that `other` has earned."""
        self.evidence = other.evidence
        self.shares = other.shares
        self.was_boosted = other.was_boosted
        self.extra = other.extra
        self.others = other.others
        self.raw = other.raw
        self.score = other.score
        self.stage = other.stage

    def explain(self):
        """What the score is made of, by name; the values add up to it."""
        cdef double scale
        cdef Py_ssize_t k
        if self.raw == 0:
            return {}
        scale = self.score / self.raw
        parts = {"evidence": self.evidence * scale}
        for k in range(SHARES if self.was_boosted else 0):
            if self.shares[k]:
                parts[BOOSTS[k]] = self.evidence * self.shares[k] * scale
        if self.extra:
            parts["extra"] = self.extra * scale
        if self.others:
            parts["others"] = self.others * scale
        return parts


def of_hits(Hits hits not None, list times not None, double ceiling):
    """A Candidate for each of `hits`. times[k] is the time of hits[k]; evidence becomes a share of `ceiling`."""
    cdef Candidate candidate
    cdef const Hit* hit
    cdef Py_ssize_t k
    found = []
    if len(times) != hits.count:
        raise ValueError(f"there are {hits.count} hits, not {len(times)}")
    for k in range(hits.count):
        hit = hits.rows + k
        candidate = Candidate.__new__(Candidate)
        candidate.begin(hit.part, hit.doc, hit.score / ceiling, times[k], "scan" if hit.tier else "prefilter")
        found.append(candidate)
    return found


def take_features(list candidates not None, const float[:, ::1] table not None):
    """Let every candidate have its row of table f32[n, FEATURES], as Matcher.measure() fills it."""
    cdef Py_ssize_t count = len(candidates), k
    cdef Candidate candidate
    if table.shape[0] < count or table.shape[1] != FEATURES:
        raise ValueError("the table does not fit the candidates")
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        memcpy(candidate.row, &table[k, 0], FEATURES * sizeof(float))
        candidate.was_read = True


def docs_of(list candidates not None):
    """The document of each."""
    return [(<Candidate?>candidate).doc for candidate in candidates]


def in_a_run(list candidates not None, float least):
    """Those of whose passage more than `least` of the query stands in one run."""
    return [candidate for candidate in candidates if (<Candidate?>candidate).row[PHRASE] > least]


def around(list candidates not None, const uint64_t[::1] doc_start not None, Py_ssize_t first_doc,
           const uint64_t[::1] part_start not None, Py_ssize_t first_part, uint64_t reach):
    """What of each candidate's part stands within `reach` bytes of its passage, as passages() tells it."""
    cdef Py_ssize_t count = len(candidates), k, doc, part
    cdef Array starts = clone(PLACES, count, False), ends = clone(PLACES, count, False)
    cdef Candidate candidate
    cdef uint64_t start, end
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        doc = candidate.doc - first_doc
        part = candidate.part - first_part
        if not 0 <= doc < doc_start.shape[0] - 1 or not 0 <= part < part_start.shape[0] - 1:
            raise IndexError((candidate.part, candidate.doc))
        start = doc_start[doc]
        end = doc_start[doc + 1]
        # neither goes beyond what a place can be
        starts.data.as_ulonglongs[k] = max(part_start[part], start - min(start, reach))
        ends.data.as_ulonglongs[k] = min(part_start[part + 1], end + min(~end, reach))
    return starts, ends


def windows(list candidates not None, const uint64_t[::1] doc_start not None, Py_ssize_t first_doc):
    """Where the densest window of each candidate's passage begins and ends, as passages() tells it."""
    cdef Py_ssize_t count = len(candidates), k, at
    cdef Array starts = clone(PLACES, count, False), ends = clone(PLACES, count, False)
    cdef Candidate candidate
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        at = candidate.doc - first_doc
        if not 0 <= at < doc_start.shape[0]:
            raise IndexError(candidate.doc)
        starts.data.as_ulonglongs[k] = doc_start[at] + <uint64_t>candidate.row[START]
        ends.data.as_ulonglongs[k] = doc_start[at] + <uint64_t>candidate.row[END]
    return starts, ends


def boost(list candidates not None, const double[::1] worth not None, int64_t now, double fade):
    """Fill boosts, raw and score of every candidate.

    worth f64[8] is what each of BOOSTS is worth at most; recency loses `fade` a millisecond.
    """
    cdef Py_ssize_t k, each
    cdef Candidate one
    cdef double total, age
    if worth.shape[0] != SHARES:
        raise ValueError(f"worth must be {SHARES} numbers, not {worth.shape[0]}")
    for k in range(len(candidates)):
        one = <Candidate?>candidates[k]
        age = now - one.time
        one.shares[0] = worth[0] * one.row[WINDOW]
        one.shares[1] = worth[1] * one.row[PHRASE]
        one.shares[2] = worth[2] * one.row[NEAR]
        one.shares[3] = worth[3] * one.quoted
        one.shares[4] = worth[4] * one.whole
        one.shares[5] = worth[5] if one.row[CUES] else 0
        one.shares[6] = worth[6] * one.similarity
        one.shares[7] = worth[7] if age <= 0 else max(0.0, worth[7] - fade * age)
        total = 0
        for each in range(SHARES):
            total += one.shares[each]
        one.raw = one.score = one.evidence * (1 + total) + one.extra
        one.was_boosted = True


cdef void tell(Candidate one, double words, double plenty, double least, double* signs) noexcept nogil:
    """Fill in the SIGNS that chances() and signs_of() tell of."""
    signs[0] = log(one.raw / (one.raw + plenty) + least)
    signs[1] = one.whole
    signs[2] = one.row[COVERAGE]
    signs[3] = one.row[NEAR]
    signs[4] = log(<double>one.row[WORDS] + 1)
    signs[5] = words - one.row[MATCHED]


cdef double logistic(const double[::1] coefficients, const double[::1] asked, const double* signs) noexcept nogil:
    """1 / (1 + e^-x) of the weighted sum x of what was asked and, behind it, the first signs."""
    cdef Py_ssize_t k, first = asked.shape[0]
    cdef double total = 0
    for k in range(coefficients.shape[0]):
        total += coefficients[k] * (asked[k] if k < first else signs[k - first])
    return 1 / (1 + exp(-total))


def signs_of(Candidate candidate not None, double words, double plenty, double least):
    """What tells candidates apart: ln of e / (e + plenty) of the raw score e, the whole query, coverage, nearness,
    ln of the passage's words, and how many of the query's `words` are missing. `least` is added before the first ln.
    """
    cdef double[SIGNS] signs
    tell(candidate, words, plenty, least, signs)
    return [signs[k] for k in range(SIGNS)]


def chances(list candidates not None, const double[::1] asked not None, const double[::1] chance not None,
            const double[::1] sure not None, double words, double plenty, double least):
    """Make the score of every candidate that has one a chance, and fill in how sure it is.

    Both are logistic in asked f64[n], which is the same for all, and signs_of(); chance and sure are the coefficients,
    as many as count. What was not read is as sure as its chance.
    """
    cdef double[SIGNS] signs
    cdef Candidate one
    if max(chance.shape[0], sure.shape[0]) > asked.shape[0] + SIGNS:
        raise ValueError(f"there are no more than {asked.shape[0] + SIGNS} numbers for coefficients")
    for each in candidates:
        one = <Candidate?>each
        if one.raw > 0:  # else only the text told of it
            tell(one, words, plenty, least, signs)
            one.score = logistic(chance, asked, signs)
            one.sure = logistic(sure, asked, signs) if one.was_read else one.score


cdef struct Place:
    double score
    int64_t time
    Py_ssize_t at


cdef int before(const void* one, const void* other) noexcept nogil:
    """Negative where `one` ranks before `other`: by score, then newer, then as they were given."""
    cdef const Place* a = <const Place*>one
    cdef const Place* b = <const Place*>other
    if a.score != b.score:
        return -1 if a.score > b.score else 1
    if a.time != b.time:
        return -1 if a.time > b.time else 1
    return -1 if a.at < b.at else a.at > b.at


def best_first(list candidates not None, names not None):
    """Best first: by score, then newer, then by names(candidate), which is asked of equals only. O(n log n)."""
    cdef Py_ssize_t count = len(candidates), k, first = 0
    cdef Candidate candidate
    cdef bytearray room = bytearray(count * sizeof(Place))
    cdef Place* places = <Place*><char*>room
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        places[k] = Place(candidate.score, candidate.time, k)
    qsort(places, count, sizeof(Place), before)
    found = [candidates[places[k].at] for k in range(count)]
    for k in range(1, count + 1):
        if k < count and places[k].score == places[first].score and places[k].time == places[first].time:
            continue
        if k - first > 1:
            found[first:k] = sorted(found[first:k], key=names)
        first = k
    return found


def in_turns(list candidates not None, list sessions not None, Py_ssize_t most, double share):
    """The places of candidates, best first, so that no session crowds out others. O(n log n).

    sessions[k] is the session of candidates[k]. Behind its first `most` candidates, a session's next stands as if it
    had `share` of its score, the one behind that as with `share` squared, and so on. Equals stay as they are.
    """
    cdef Py_ssize_t count = len(candidates), k, before_it
    cdef Candidate candidate
    cdef dict taken = {}
    cdef bytearray room = bytearray(count * sizeof(Place))
    cdef Place* places = <Place*><char*>room
    if len(sessions) != count:
        raise ValueError(f"there are {count} candidates, not {len(sessions)}")
    for k in range(count):
        candidate = <Candidate?>candidates[k]
        before_it = taken.get(sessions[k], 0)
        taken[sessions[k]] = before_it + 1
        places[k] = Place(candidate.score, 0, k)
        if before_it >= most:
            places[k].score *= pow(share, before_it + 1 - most)
    qsort(places, count, sizeof(Place), before)
    return [places[k].at for k in range(count)]

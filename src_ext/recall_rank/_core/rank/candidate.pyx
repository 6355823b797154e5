"""Candidate: a hit while it is ranked, from the score of the prefilter to its final score."""

from libc.stdint cimport int64_t
from libc.string cimport memset

from recall_rank._core.search.fusion cimport HitRow
from recall_rank._core.search.hits cimport Hits

BOOSTS = ("window", "phrase", "near", "quoted", "whole_query", "cue", "scorer", "missing", "scattered", "repeated")


cdef class Candidate:
    """A hit while it is ranked: a part with evidence of a query.

    part, doc: the numbers of its part and of its best passage, which is a document, in the index reader.
    time: of its message, in ms since 1970.
    evidence: the score of the prefilter, context included, divided by the ceiling, the BM25 of a document that is full
    of every word of the query; it can exceed 1.
    kind: the model.Kind of its passage; people: whether people talk with each other there; works: whether an agent uses
    tools there; size: of its part, in bytes. All four are set when the passage is read.
    quoted: the share, 0 to 1, of the query's quoted phrases that occur near the passage.
    whole: 1 where the whole query occurs as it was written, less where that is inside of a longer name, else 0.
    names: for each name of the query a list of the names at its matches in the passage; empty until that was read.
    similarity: how near these names come to those of the query by rapidfuzz, 0 to 1; 0 before they were compared.
    extra: the caller's own score for the part, weighted.
    meaning: how near the part is in meaning to the query, weighted; 0 without an embedder.
    others: what further messages add to the score of a session.
    raw: the score before calibration, evidence * (1 + boosts) + extra + meaning + others.
    own: that of its part alone, without others; it does not change when the candidate takes over the rank of another.
    score: equal to raw, until calibrate() replaces it by a chance.
    sure: the chance that its session is the right one; confidence: "low", "medium" or "high".
    stage: the last stage that scored it, "prefilter", "score" or "scan".
    """

    def __init__(self, Py_ssize_t part, Py_ssize_t doc, double evidence, int64_t time=0, str stage="prefilter"):
        self.begin(part, doc, evidence, time, stage)

    cdef int begin(self, Py_ssize_t part, Py_ssize_t doc, double evidence, int64_t time, str stage) except -1:
        """Set the attributes of a new candidate, before any stage of ranking; those not given are zero, empty or "low".
        """
        self.part = part
        self.doc = doc
        self.time = time
        self.evidence = self.raw = self.own = self.score = evidence
        self.names = []
        self.confidence = "low"
        self.stage = stage
        return 0

    @property
    def features(self):
        """The features of the passage, in the order of FEATURE_NAMES; an empty tuple until the passage was read."""
        return tuple([self.row[k] for k in range(FEATURES)]) if self.was_read else ()

    @features.setter
    def features(self, values):
        cdef Py_ssize_t k
        if len(values) != FEATURES:
            raise ValueError(f"there are {FEATURES} features, not {len(values)}")
        for k in range(FEATURES):
            self.row[k] = values[k]
        self.was_read = True

    @property
    def holds_names(self):
        """Whether each name of the query of which a word matches in the passage stands there in one piece.

        A name is several words written as one, such as MapLibre: its words must stand next to each other, in their
        order. True for a passage that was not read.
        """
        return not self.was_read or self.row[HELD] == 1

    @property
    def boosts(self):
        """The boosts, as shares of the evidence, in the order of BOOSTS; an empty tuple until boost() ran."""
        return tuple([self.shares[k] for k in range(BOOST_COUNT)]) if self.was_boosted else ()

    def forget(self):
        """Undo what reranking has set (features, names, boosts and what they come from); the score becomes the
        evidence.

        The document, the stage, the confidence and `sure` are kept.
        """
        self.was_read = self.was_boosted = False
        memset(self.row, 0, sizeof(self.row))
        self.names = []
        self.quoted = self.whole = self.similarity = self.extra = self.meaning = self.others = 0
        self.raw = self.own = self.score = self.evidence

    def take_rank_of(self, Candidate other not None):
        """Take over the evidence, the boosts, the score and the stage of `other`; `own`, of its own part, is kept."""
        self.evidence = other.evidence
        self.shares = other.shares
        self.was_boosted = other.was_boosted
        self.extra = other.extra
        self.meaning = other.meaning
        self.others = other.others
        self.raw = other.raw
        self.score = other.score
        self.stage = other.stage

    def explain(self):
        """Return a dict from the name of each summand of the score to its value; empty where `raw`, the score before
        calibration, is 0.

        Summands are "evidence" (of the words that match), the names of BOOSTS, "extra" (the caller's own score),
        "meaning" (nearness in meaning) and "others" (what further messages add to a session); all but the first are
        left out where they are 0. They are scaled so that their sum is `score`.
        """
        cdef double scale
        cdef Py_ssize_t k
        if self.raw == 0:
            return {}
        scale = self.score / self.raw
        parts = {"evidence": self.evidence * scale}
        for k in range(BOOST_COUNT if self.was_boosted else 0):
            if self.shares[k]:
                parts[BOOSTS[k]] = self.evidence * self.shares[k] * scale
        if self.extra:
            parts["extra"] = self.extra * scale
        if self.meaning:
            parts["meaning"] = self.meaning * scale
        if self.others:
            parts["others"] = self.others * scale
        return parts


def candidates_of(Hits hits not None, list times not None, double ceiling):
    """Return a list with a Candidate for each of `hits`, in their order.

    times[k] is the time of hits[k] in ms since 1970. The evidence of a candidate is the score of its hit divided by
    `ceiling`, the BM25 of a document full of every word of the query; it can exceed 1, since context adds to scores.
    Raises ValueError when times and hits differ in length.
    """
    cdef Candidate candidate
    cdef const HitRow* hit
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

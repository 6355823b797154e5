"""The records that query expansion makes: term groups, names that nobody wrote, and all of them as one Expansion."""

from __future__ import annotations

from recall_rank._core.rank.matcher import Matcher
from recall_rank.model.record_classes import field, mutable
from recall_rank.search.expansion.lexicon import Member
from recall_rank.search.query import Word


@mutable
class TermGroup:
    """The terms that match one word or compound of the query.

    `members` are ranges of terms, (first, last, similarity), with `last` excluded; `factor` is the rarity of the group
    times its boost.
    """

    written: str
    at: int  # the first word of the query that the group covers
    span: int  # words that it covers
    members: list[Member]
    boost: float
    frequency: int = 0  # eligible documents that hold a member, summed over the members
    factor: float = 0.0
    joint: bool = False  # a document must also hold the group before: these are the halves of one word
    variant: bool = False  # a synonym or an alternative of the words that it covers, which have groups of their own
    nearly: bool = False  # a repair of words written as one, of which a word is unknown without it, and remains so


@mutable
class UnknownName:
    """Several words that the query writes as one, such as MapLibre, and that no eligible document writes as one.

    Its words are evidence only where they stand next to each other. `missing` are its words that no eligible document
    has in the spelling of the query; `absent` are those of them that none has in any inflection either. `instead` are
    the forms that are searched in place of the name.
    """

    written: str
    at: int  # its first word in the query
    span: int  # words
    missing: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)
    instead: list[str] = field(default_factory=list)


@mutable
class Expansion:
    """The result of query expansion: term groups, which the prefilter scores, and a Matcher, which finds them in
    passages.
    """

    groups: list[TermGroup]
    known: list[tuple[Word, int]]  # words with a group of their own, and their places, for fallback_groups()
    guesses: list[TermGroup]  # groups that are no evidence and make fallback hits
    ceiling: float  # the BM25 of a document full of every word, of class weight 1, without context
    matcher: Matcher
    word_weights: list[float]
    repaired: dict[str, list[str]]  # word that no document holds -> forms searched in its place
    unknown: list[str]  # words without any form in the vocabulary
    names: list[UnknownName]
    words_done: int  # words that were looked up before the deadline

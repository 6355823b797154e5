"""The intent of a question: whether it asks for a time or for advice, and which of its words are about the
conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

_WHEN = re.compile(
    r"^\W*(?:when\b|(?:what|which|on what|in what|in which)\s+(?:date|day|month|year|time|week)\b|how\s+long\b)",
    re.IGNORECASE,
)
_TIMES = """
yesterday today tonight tomorrow ago weekend morning afternoon evening night day days week weeks month months year years
monday tuesday wednesday thursday friday saturday sunday january february april june july august september october
november december last next since recently
"""
_TIME_FORMS = tuple(word.encode() for word in _TIMES.split()) + tuple(str(year).encode() for year in range(1990, 2036))


def answer_cues(question: str) -> tuple[bytes, ...]:
    """Return words about time, in folded UTF-8, if the question asks for a time: a good answer contains one of them.

    Empty for other questions.
    """
    return _TIME_FORMS if _WHEN.match(question) else ()


_ADVICE = frozenset((b"should", b"recommend", b"suggest", b"advise"))
_REQUESTS = frozenset(
    [(verb, b"you") for verb in (b"can", b"could", b"would", b"will")] + [(b"help", b"me"), (b"help", b"us")]
)
_AUXILIARIES, _ASKING = frozenset((b"do", b"can", b"could", b"would")), frozenset((b"i", b"we"))
_PERSONS = _ASKING.union(person for _, person in _REQUESTS)  # every pattern below has one
_TOLD = frozenset(
    b"did asked brought conversation conversations discuss discussed discussion discussions mention mentioned said "
    b"talked told".split()
)


def asks_what_to_do(forms: Sequence[bytes]) -> bool:
    """Return whether a question asks for advice or for help with future work. `forms` are its words, folded, in order.

    Standing orders, such as "always use tabs", are relevant to such questions. False for questions about what was said
    or done.
    """
    if not _TOLD.isdisjoint(forms):
        return False
    if not _ADVICE.isdisjoint(forms):
        return True
    if _PERSONS.isdisjoint(forms):
        return False
    if not _REQUESTS.isdisjoint(pairwise(forms)):
        return True
    return b"how" in forms and any(
        how == b"how" and verb in _AUXILIARIES and who in _ASKING
        for how, verb, who in zip(forms, forms[1:], forms[2:], strict=False)
    )


_ASKER = frozenset(
    b"i my me mine myself ich mein meine meinen mir mich je mon ma mes moi yo mi mis mio mia eu meu minha".split()
)


def speaks_of_asker(forms: Iterable[bytes]) -> bool:
    """Return whether a query speaks of the one who asks: I, my, me, in English and the Romance and Germanic languages.

    It then asks for what a person said, more than for what an agent answered. `forms` are its words, folded.
    """
    return not _ASKER.isdisjoint(forms)


# Words about the conversation itself, by which people ask for something said before, not about its subject.
_FRAMING = """
asked asking bring brought chat chats comprehensive conversation conversations describe described detailed details
different discuss discussed discussing discussion discussions earlier explain explained give gave items kind kinds list
many mention mentioned mentioning mentions order ordered overview recall recently recommend recommended related remember
say saying said session sessions suggest suggested summarise summarised summarize summarized summary talk talked talking
tell telling throughout told topics type types walk aspects ask across overall
"""
_FRAMING_FORMS = frozenset(word.encode() for word in _FRAMING.split())


# Words that carry a sentence more than its subject: light verbs, pronouns, and nouns for anything.
_LIGHT = """
go goes going gone went come comes coming came get gets getting got gotten do done doing make makes making made take
takes taking took taken put puts putting keep keeps kept let lets want wants wanted need needs needed try tries tried
trying know knew known think thought look looks looked looking see saw seen give gives gave given happen happens
happened turn turns turned somebody someone something anybody anyone anything everybody everyone everything nobody
nothing one ones thing things stuff way ways kind sort bit lot lots reason reasons example examples name named good
better best new really actually just also instead again still already even somehow always never every each other hacer
hace hizo hecho ir va fue cosa cosas fazer faz fez feito coisa coisas faire fait aller chose choses machen macht gemacht
gehen geht ging ding dinge sache fare fatto cose
"""
_LIGHT_FORMS = frozenset(word.encode() for word in _LIGHT.split())


def light_words(forms: Sequence[bytes], counts: Sequence[bool]) -> frozenset[bytes]:
    """Return the words of a question that carry the sentence more than its subject, such as go in "why did we go with
    JWT".

    `forms` are its words, folded, and counts[k] is whether forms[k] is no stop word. Empty where the words are no
    sentence, that is, have no stop word among them, and where nothing would be left.
    """
    if all(counts):
        return frozenset()
    light = _LIGHT_FORMS.intersection(forms)
    subject = any(counted and form not in light for form, counted in zip(forms, counts, strict=True))
    return light if subject else frozenset()


def framing_words(forms: Iterable[bytes]) -> frozenset[bytes]:
    """Return the words among `forms`, the folded words of a question, that are about the conversation, such as
    "discussed".
    """
    return _FRAMING_FORMS.intersection(forms)

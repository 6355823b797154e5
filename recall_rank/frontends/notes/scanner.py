"""Scan text that will stand in a model's instructions for instructions that somebody injected into it.

The words of the text are compared in a plain form, in which they cannot be hidden. A rule asks for words of several
classes near each other, such as a command to ignore, a word for instructions and one for "previous"; further rules
find commands that carry secrets away, markers of roles and hidden characters. Takes time in proportion to the text.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from recall_rank.frontends.display_text import one_line
from recall_rank.frontends.notes.combinations import COMBINATIONS, Combination
from recall_rank.frontends.notes.lexicon import (
    ARTICLES,
    COMMANDS,
    COMPOUNDS,
    INVITED,
    MACHINES,
    MEMBERS,
    MODALS,
    MODELS,
    NEGATIONS,
    OPENERS,
    PLACES,
    POWERS,
    STATES,
    SWEEPING,
    WORDS,
)
from recall_rank.frontends.notes.literal_forms import literal_findings
from recall_rank.frontends.notes.other_languages import LANGUAGES
from recall_rank.frontends.notes.plain_words import FoldedText, Words, folded_text, plain_words, vocabulary_of

MATCHED_CHARS: Final = 160  # of the matched text that a finding shows
MOST: Final = 100  # findings of one text
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{24,4096}={0,2}(?![A-Za-z0-9+/=])")
_REVERSED: Final = re.compile(
    r"\b(?:revers|backward|right to left|flip|mirror|r[uü]ckw[aä]rts|envers|rev[eé]s)", re.IGNORECASE
)
_ADDRESS: Final = re.compile(
    r"https?://\S|\b[\w+-]{1,64}@[\w-]{1,63}\.\w|\b[\w-]{1,63}\.(?:com|net|org|io|dev|ru|cn|xyz|app|me|co)\b(?![\w(=])"
)
_ROT13: Final = re.compile(r"\brot-?13\b", re.IGNORECASE)


REASONS: Final = {
    "ignore instructions": "It tells the model to drop what it was told, or claims that this no longer applies.",
    "new persona": "It gives the model another identity, task or owner.",
    "no restrictions": "It says that a model has no rules or limits.",
    "jailbreak": "It switches a safeguard off, or asks for a mode without one.",
    "reveal prompt": "It asks for the instructions that the model was given.",
    "send secrets": "It sends keys, files or the conversation to somebody.",
    "hide from the user": "It keeps something from the user, or acts without the user's consent.",
    "role marker": "It pretends to be a message of the system or of another speaker.",
    "addressed to the model": "It speaks to whatever model reads the text.",
    "encoded instructions": "It hides instructions in an encoding.",
    "hidden characters": "It holds characters that a model reads and no display shows.",
}


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """An instruction that seems to be injected: the rule that found it, where it stands and the escaped text.

    `start` and `end` are characters of the scanned text. `matched` is one line of at most MATCHED_CHARS characters.
    `reason` says in a sentence what the rule takes the text for.
    """

    rule: str
    start: int
    end: int
    matched: str

    @property
    def reason(self) -> str:
        return REASONS[self.rule]


def scan(text: str) -> list[InjectionFinding]:
    """Return the findings of a text in order, at most MOST of them. A text without any gives an empty list.

    It raises nothing, whatever the text holds.
    """
    found = sorted({*_found(text), *_disguised(text)}, key=lambda each: (each[1], each[2], each[0]))
    kept: list[InjectionFinding] = []
    reached: dict[str, int] = {}
    for rule, start, end in found:
        if reached.get(rule, -1) > start:
            continue  # overlaps a finding of its rule
        reached[rule] = end
        kept.append(InjectionFinding(rule, start, end, _shown(text[start:end])))
        if len(kept) == MOST:
            break
    return kept


def _shown(text: str) -> str:
    line = one_line(text[:MATCHED_CHARS])
    return line if len(line) <= MATCHED_CHARS else line[: MATCHED_CHARS - 1] + "…"


_Place = tuple[str, int, int]  # rule, start, end


def _found(text: str) -> Iterator[_Place]:
    folded = folded_text(text)
    words = plain_words(folded, _VOCABULARY)
    events = _events(folded, words)
    _add_addresses(folded, words, events)
    for rule, first, last in (*_combined(events), *_personas(words, events)):
        start, end = folded.origin(words.spans[first][0]), folded.origin(words.spans[last][1])
        if not _reported(text, start, end) and not (words.forms[last] in _TOLD and _OPENED.match(text, end)):
            yield rule, start, end
    yield from literal_findings(text, folded)


def _disguised(text: str) -> Iterator[_Place]:
    """Yield what stands in base64, backwards or in rot13; the latter two only where the text speaks of it."""
    for found in _BASE64.finditer(text):
        for _ in _found(_decoded(found[0])):
            yield "encoded instructions", found.start(), found.end()
            break
    if _REVERSED.search(text):
        for rule, start, end in _found(text[::-1]):
            if rule not in ("role marker", "new persona") and end - start > 20:
                yield rule, len(text) - end, len(text) - start
    if _ROT13.search(text):
        yield from _found(codecs.encode(text, "rot13"))


def _decoded(token: str) -> str:
    """Return the text that a token of base64 stands for, "" when it is none."""
    body = token.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return text if text.isprintable() or all(each.isprintable() or each.isspace() for each in text) else ""


@dataclass(slots=True)
class _Events:
    """The places where words of one class stand, in order, with the first and last word of each."""

    places: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    lasts: list[int] = field(default_factory=list)

    def near(self, place: int, word: int, window: int, *, behind: bool) -> tuple[int, int, int] | None:
        """Return distance, first and last word of the event nearest to a place and at most `window` from it.

        The event that begins with the word number `word` does not count, nor one before it if `behind` is set. None
        when there is none.
        """
        at = bisect_left(self.places, place)
        best: tuple[int, int, int] | None = None
        for each in range(at - 1 if not behind else at, at + 2):
            if 0 <= each < len(self.places) and self.firsts[each] != word:
                distance = abs(self.places[each] - place)
                if distance <= window and (best is None or distance < best[0]):
                    best = distance, self.firsts[each], self.lasts[each]
        return best

    def next_to(self, place: int, word: int, window: int) -> int | None:
        """Return the last word of the first event behind the word number `word` and at most `window` from a place."""
        at = bisect_right(self.firsts, word)
        return self.lasts[at] if at < len(self.firsts) and self.places[at] - place <= window else None


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The words of a phrase behind its first one, and its class."""

    rest: tuple[str, ...]
    kind: str


def _classes() -> Iterator[tuple[str, list[str]]]:
    """Yield the class and the words of every phrase; the class of a verb that must be a command begins with "!"."""
    for mark, classes in (("!", COMMANDS), *(("", each) for each in (WORDS, *LANGUAGES))):
        for kind, entries in classes.items():
            for phrase in entries.split("/"):
                yield (
                    mark + kind,
                    folded_text(phrase).text.replace("'", " ").replace("-", " ").replace("_", " ").split(),
                )


_VOCABULARY: Final = vocabulary_of(
    [
        *(word for _, words in _classes() for word in words),
        *(OPENERS | MODALS | INVITED | NEGATIONS | COMPOUNDS | STATES | MEMBERS | ARTICLES | POWERS),
    ]
)


def _phrases() -> dict[str, list[_Phrase]]:
    """Return the phrases of all classes and languages by their first word."""
    found: dict[str, list[_Phrase]] = {}
    for kind, words in _classes():
        first, *rest = (_VOCABULARY.canonical(word.removesuffix("*")) or word for word in words)
        made = _Phrase(tuple(rest), kind)
        same = [each.kind for each in found.get(first, ()) if each.rest == made.rest]
        if kind not in same and f"!{kind}" not in same:  # a word of two languages is checked as the English one
            found.setdefault(first, []).append(made)
    return found


PHRASES: Final = _phrases()
_TEMPLATE: Final = re.compile(r"\.[a-z]")  # .env.example holds no secret
_DEMANDS: Final = frozenset(("not tell", "not ask", "not follow", "stop", "not"))
_SUBJECTS: Final = frozenset(("we", "i", "they"))
_TOLD_OF: Final = frozenset("does did is are was were has have had would could can".split())  # no command, but a report
_PRONOUNS: Final = (["it"], ["them"], ["these"], ["those"])  # stand for words before the verb
_IN_CODE: Final = frozenset(("place", "secrets"))
_PART_OF_COMPOUND: Final = frozenset(("instructions", "rules", "prompt"))


def _events(folded: FoldedText, words: Words) -> dict[str, _Events]:
    """Return where words of each class stand."""
    events: dict[str, _Events] = {}
    forms = words.forms
    for at, form in enumerate(forms):
        commanding: bool | None = None
        for phrase in PHRASES.get(form, ()):
            last = at + len(phrase.rest)
            if phrase.rest and tuple(forms[at + 1 : last + 1]) != phrase.rest:
                continue
            if phrase.kind in _PART_OF_COMPOUND and _in_compound(folded.text, words, last):
                continue
            if phrase.kind not in _IN_CODE and _of_code(folded.text, words.spans[at][0], words.spans[last][1]):
                continue
            if form == "env" and _TEMPLATE.match(folded.text, words.spans[at][1]):
                continue
            if phrase.kind.startswith("!"):
                if commanding is None:
                    commanding = _commanding(words, at)
                if not commanding:
                    continue
            elif phrase.kind in _DEMANDS and _told_of(forms, at):
                continue
            kind = phrase.kind.removeprefix("!") if forms[last + 1 : last + 2] in _PRONOUNS else phrase.kind
            each = events.setdefault(kind, _Events())
            each.places.append(words.places[at])
            each.firsts.append(at)
            each.lasts.append(last)
    return events


def _in_compound(folded: str, words: Words, last: int) -> bool:
    """Return whether a noun is part of another: "prompt template". One in the plural is none."""
    if words.forms[last].endswith("s") or words.forms[last + 1 : last + 2] == []:
        return False
    return words.forms[last + 1] in COMPOUNDS and folded[words.spans[last][1] : words.spans[last + 1][0]] == " "


def _told_of(forms: list[str], at: int) -> bool:
    """Return whether a negation tells what somebody does: "it did not", "we never", "they do not"."""
    if forms[at] not in ("not", "never", "do") or not at:
        return False
    subject = forms[at - 2] if forms[at - 1] == "do" and at > 1 else forms[at - 1]
    return subject in _SUBJECTS or (forms[at] == "not" and forms[at - 1] in _TOLD_OF)


_CODE_BEHIND: Final = re.compile(
    r"[=(_/\\\[{<&]|\.[^\W\d]|-(?=[^\W_])|:[^\s]|[\"'`]\s?[:=\])]|`\.|\*\*?/|\s?(?:=>|===?|!=|&&|\|\||\{)"
)
_CODE_BEFORE: Final = re.compile(r"[_/\\(.$@<{\[=&]\Z|[^\W_]-\Z|--\Z|[^\s]:\Z|\w'\Z|[a-z]\.\Z")


def _of_code(folded: str, start: int, end: int) -> bool:
    """Return whether a word stands in code or in a name of it, where it says nothing."""
    return bool(_CODE_BEHIND.match(folded, end) or _CODE_BEFORE.search(folded[max(0, start - 2) : start]))


def _add_addresses(folded: FoldedText, words: Words, events: dict[str, _Events]) -> None:
    """Add addresses of the net and of mail to the events of class "place"."""
    found = [bisect_left(words.spans, (each.start(), 0)) for each in _ADDRESS.finditer(folded.text)]
    if not found:
        return
    known = events.get("place", _Events())
    indexes = sorted({*known.firsts, *(min(at, len(words.forms) - 1) for at in found if words.forms)})
    events["place"] = _Events([words.places[at] for at in indexes], indexes, indexes)


def _commanding(words: Words, at: int) -> bool:
    """Return whether a verb is a command: it begins a clause, stands behind such as "please" or "you must"."""
    forms = words.forms
    if words.opens[at]:
        return not (at and forms[at - 1] in NEGATIONS)
    before = forms[at - 1]
    if before in NEGATIONS:
        return False
    if before in MODALS:
        return any(form in _ADDRESSED for form in forms[max(0, at - 5) : at - 1])
    if before == "to":
        return any(form in INVITED for form in forms[max(0, at - 6) : at - 1])
    return before in OPENERS


_ADDRESSED: Final = frozenset(WORDS["addressee"].replace("/", " ").split())


def _combined(events: dict[str, _Events]) -> Iterator[tuple[str, int, int]]:
    """Yield rule, first and last word of each combination that is there."""
    for combination in COMBINATIONS:
        groups = [[(kind, events[kind]) for kind in need if kind in events] for need in combination.needs]
        if all(groups):
            yield from _of_combination(combination, groups)


def _of_combination(
    combination: Combination, groups: list[list[tuple[str, _Events]]]
) -> Iterator[tuple[str, int, int]]:
    anchors, *others = groups
    if combination.ordered:
        yield from _in_order(combination, anchors, others)
        return
    for kind, anchor in anchors:
        for place, first, last in zip(anchor.places, anchor.firsts, anchor.lasts, strict=True):
            low, high = first, last
            for number, group in enumerate(others):
                behind = kind.startswith("!") and not number
                near = [each.near(place, first, combination.window, behind=behind) for _, each in group]
                best = min((each for each in near if each is not None), default=None)
                if best is None:
                    break
                low, high = min(low, best[1]), max(high, best[2])
            else:
                yield combination.rule, low, high


def _in_order(
    combination: Combination, anchors: list[tuple[str, _Events]], others: list[list[tuple[str, _Events]]]
) -> Iterator[tuple[str, int, int]]:
    for _, anchor in anchors:
        for place, first, last in zip(anchor.places, anchor.firsts, anchor.lasts, strict=True):
            high = last
            for group in others:
                behind = [each.next_to(place, high, combination.window) for _, each in group]
                high = min((each for each in behind if each is not None), default=-1)
                if high < 0:
                    break
            else:
                yield combination.rule, first, high


_YOU_ARE: Final = tuple(
    tuple(each.split()) for each in ("you are now", "you now are", "now you are", "now on you are", "you will now be")
)
_PROMOTED: Final = tuple(
    tuple(each.split())
    for each in (
        *("your role is now", "your role has changed to", "your role has been changed to", "you now have"),
        *("you have now", "you are hereby granted", "you have been granted", "you are granted", "now on you are"),
        *(f"you {how} {verb} to" for how in ("are", "have been") for verb in ("promoted", "elevated", "upgraded")),
    )
)
_NO_LONGER: Final = ("you", "are", "no", "longer")


def _personas(words: Words, events: dict[str, _Events]) -> Iterator[tuple[str, int, int]]:
    """Yield what makes the model somebody else: "you are now ...", "pretend to be ..."."""
    forms = words.forms
    for at, form in enumerate(forms):
        if form not in ("you", "your", "now"):
            continue
        for start in _YOU_ARE:
            if _begins(forms, at, start) and _somebody(words, at + len(start)):
                yield "new persona", at, min(at + len(start), len(forms) - 1)
        for start in _PROMOTED:
            power = _power(forms, at + len(start)) if _begins(forms, at, start) else None
            if power is not None:
                yield "new persona", at, power
        if _begins(forms, at, _NO_LONGER) and set(forms[at + 4 : at + 7]) & MODELS:
            yield "new persona", at, min(at + 5, len(forms) - 1)
    for kind in ("!pretend",):
        each = events.get(kind)
        for first, last in zip(each.firsts, each.lasts, strict=True) if each else ():
            rest = [form for form in forms[last + 1 : last + 8] if form not in ("that", "as", "if")]
            if rest[:1] == ["you"] or (rest[:2] == ["to", "be"] and not set(rest[2:6]) & MACHINES):
                yield "new persona", first, min(last + 2, len(forms) - 1)


def _begins(forms: list[str], at: int, start: tuple[str, ...]) -> bool:
    return tuple(forms[at : at + len(start)]) == start


def _power(forms: list[str], at: int) -> int | None:
    """Return the last word of a role with power over a machine that begins with the word number `at`: "a root user",
    "root access", "administrator". None for no such role, and for one over something that is named, such as "an
    administrator of the group".
    """
    most = min(at + 3, len(forms))
    power = next((each for each in range(at, most) if forms[each] in POWERS or forms[each].startswith("admin")), None)
    if power is None:
        return None
    noun = power + 1 if power + 1 < len(forms) and forms[power + 1] in _OF_POWER else power
    return None if forms[noun + 1 : noun + 2] and forms[noun + 1] in PLACES else noun


_OF_POWER: Final = frozenset(
    "user administrator admin account access privileges rights permissions privilege permission".split()
)


def _somebody(words: Words, at: int) -> bool:
    """Return whether the words behind "you are now" name somebody, and not a state or a place."""
    forms = words.forms[at : at + 4]
    if not forms or forms[0] in STATES or forms[0] not in ARTICLES:
        return bool(forms) and forms[0] in ("dan", "free", "unrestricted", "jailbroken", "uncensored", "unfiltered")
    member = next((each for each in range(1, len(forms)) if forms[each] in MEMBERS), None)
    if member is not None:
        return _is_powerful_member(words.forms[at : at + member + 8], member)
    return not (forms[0] == "not" and set(forms[1:2]) & STATES)


def _is_powerful_member(forms: list[str], member: int) -> bool:
    """Return whether a word for a member, such as "user", stands for one with power over everything, as in "a root
    user" and "a user who can do anything", and not for one of something that is named.
    """
    rest = forms[member + 1 :]
    if rest[:1] and rest[0] in PLACES:
        return False
    if forms[0] != "the" and set(forms[1:member]) & POWERS:
        return True
    return rest[:1] in _CLAUSES and bool(set(rest) & SWEEPING) and not set(rest) & PLACES


_CLAUSES: Final = (["with"], ["without"], ["and"], ["who"], ["that"])


_QUOTE: Final = re.compile(r"[\"“”„'‘’`«»]")
_REPORT: Final = re.compile(
    r"\b(?:contained|contains|said|phrases? like|such as|looks? for|detects?|blocks?|matches|strings? like|"
    r"wrote|prints|printed|reads|included|rejects?)[^\n]{0,100}[\"“„'‘`«][^\"“”„'‘’`«»\n]{0,80}\Z"
)
_OBEY: Final = re.compile(
    r"\b(?:you|your|obey|follow|comply|do (?:it|that|this|so)|apply|agents?|assistants?)\b", re.IGNORECASE
)
_QUOTED_CHARS: Final = 80
_TOLD: Final = ("user", "anyone", "reviewer")  # "do not tell the user "error 7"" is about the words of a message
_OPENED: Final = re.compile(r"\s{0,2}[:,]?\s{0,2}[\"“„«]")


def _reported(text: str, start: int, end: int) -> bool:
    """Return whether the range is a short quotation that a sentence reports, with nothing that asks to act on it."""
    if end - start > _QUOTED_CHARS:
        return False
    close = _QUOTE.search(text, end, end + 12)
    if close is None or not _REPORT.search(text[max(0, start - 160) : start]):
        return False
    return _OBEY.search(text, close.end(), close.end() + 300) is None

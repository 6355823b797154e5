"""The words of a text in a comparable form, whatever hides them, each with the place where it stands.

Undone are: compatibility forms (wide, bold, circled letters), accents, capital letters, characters that no display
shows, letters of other scripts that look like Latin ones, digits for letters, letters with blanks or dots between them,
words that hyphens, markup or line ends cut, words written together, contractions, and HTML's numeric entities. Takes
time in proportion to the text.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from recall_rank.analysis.unseen_characters import UNSEEN_RANGES

SENTENCE: Final = 4  # words that the end of a sentence counts for in a distance
TOGETHER: Final = 10  # letters from which an unknown word may be several that are written together
_READ: Final = 400  # letters of a word that are looked at
_COVERED: Final = 0.8  # the share of such a word that known words must cover
_SHORT: Final = 3  # words of a sentence below which its end does not count: "Ignore. All. Rules."
_ODD: Final = re.compile(r"&#(?:[xX]([0-9a-fA-F]{1,5})|([0-9]{1,6}));?|[\x00-\x08\x0b-\x1f\x7f]|[^\x00-\x7f]")
_UNSEEN: Final = re.compile(f"[{UNSEEN_RANGES}]")
_UNSPACED: Final = re.compile("[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]")  # jamo, kana, Chinese characters
_PLAIN: Final = {
    **dict.fromkeys("\u2018\u2019\u201b\u02bc\u00b4\u2032", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2028\u2029\x0b\x0c\x85", "\n"),
    "\u2800": " ",
    "\r": "\n",
    "ı": "i",
    "ł": "l",
    "ø": "o",
    "æ": "ae",
    "œ": "oe",
}
# Letters of other scripts, and small capitals, each before the Latin letter that it looks like.
_LOOKALIKES: Final = {
    ord(pair[0]): pair[1]
    for pair in (
        "\u0430a \u0432b \u0441c \u0501d \u0435e \u04bbh \u0456i \u0458j \u043ak \u04cfl \u043cm \u043eo \u0440p "
        "\u051bq \u0455s \u0442t \u0475v \u051dw \u0445x \u0443y \u0433r \u043dh "
        "\u03b1a \u03b2b \u03b5e \u03b7n \u03b9i \u03bak \u03bdv \u03bfo \u03c1p \u03c4t \u03c5u \u03c7x \u03c9w "
        "\u03c2s \u03c3o \u03f2c \u03f3j \u0585o \u057ds \u0570h \u0578n \u0581g \u0584f "
        "\u0280r \u026ai \u0274n \u0262g \u029fl \u028fy \u0299b \u029ch \u1d00a \u1d04c \u1d05d \u1d07e \u1d0aj "
        "\u1d0bk \u1d0dm \u1d0fo \u1d18p \u1d1bt \u1d1cu \u1d20v \u1d21w \u1d22z \ua730f \ua731s \u0261g \u0251a"
    ).split()
}
_DIGITS: Final = (str.maketrans("0134578@$!|", "oieastbasii"), str.maketrans("0134578@$!|", "oleastbasll"))
_BREAKS: Final = r"[ \t\n.\-_*·|/,~+]{1,4}"
_WORD: Final = re.compile(
    rf"(?<![^\W_])[^\W_](?![^\W_])(?:{_BREAKS}[^\W_](?![^\W_])){{4,}}"  # letters with something between them
    r"|[@$]?[^\W_](?:(?:[*`~]{1,4}|__|-[ \t]{0,4}\n[ \t]{0,8})?[^\W_]|['@$!|](?=[^\W_]))*"
)
_IN_WORD: Final = re.compile(r"[\s*`~_\-.·|/,+]+")
_END: Final = re.compile(r"[.!?](?=[\s\"')*_`])|[。]|\n[ \t]*\n|\n[ \t]*(?:[-*#|>+]|\d+[.)])")
_CLAUSE: Final = re.compile(r"[,:;.!?()\[\]{}\"'`*>#|\n。、<=/]|- | -|\A\Z")
_CODE: Final = re.compile(r"[`(._/\[=<>-]")  # beside a name in code
_CONTRACTED: Final = {"re": "are", "ll": "will", "ve": "have", "m": "am"}
_FILLERS: Final = frozenset(
    "the and to of in on me my is be it do not with from for that this are now as or so at".split()
)


@dataclass(frozen=True, slots=True)
class KnownWords:
    """The words that a scanner knows. `words` are whole ones; `starts` are beginnings, each for every word with it."""

    words: frozenset[str]
    starts: frozenset[str]
    _lengths: dict[str, list[int]] = field(init=False, repr=False)  # of the known words that begin with two letters

    def __post_init__(self) -> None:
        lengths: dict[str, set[int]] = {}
        for word in self.words | self.starts | _FILLERS:
            lengths.setdefault(word[:2], set()).add(len(word))
            lengths.setdefault(word[:1], set()).update([1] if len(word) == 1 else [])
        object.__setattr__(self, "_lengths", {two: sorted(known, reverse=True) for two, known in lengths.items()})

    def form(self, word: str) -> str | None:
        """Return the known word or beginning that a word stands for, also in digits or lookalike letters, or None."""
        for spelt in _spellings(word):
            known = self.canonical(spelt)
            if known is not None:
                return known
        return None

    def canonical(self, word: str) -> str | None:
        """Return the longest known beginning of a word, with *, else the word if it is known, else None."""
        for size in range(min(len(word), 12), 2, -1):
            if word[:size] in self.starts:
                return word[:size] + "*"
        return word if word in self.words else None

    def pieces(self, word: str) -> list[tuple[str, int, int]]:
        """Return the known words in a word, each the longest possible one, with their places in it."""
        found = []
        at = 0
        while at < len(word):
            for size in (*self._lengths.get(word[at : at + 2], ()), *self._lengths.get(word[at], ())):
                part = word[at : at + size]
                if len(part) == size and (part in self.words or part in self.starts or part in _FILLERS):
                    found.append((self.canonical(part) or part, at, at + size))
                    at += size
                    break
            else:
                at += 1
        return found


@dataclass(slots=True)
class Words:
    """The words of a text, in order, as columns of equal length.

    `places` count words, and SENTENCE more at the end of each sentence. `opens` tells whether a word begins a clause.
    `spans` are the ranges of the folded text that the words stand in.
    """

    forms: list[str] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    opens: list[bool] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)


def plain_words(folded: FoldedText, vocabulary: KnownWords) -> Words:
    """Return the words of a text; a known word is written as `vocabulary` has it."""
    words = Words()
    forms: dict[str, str | None] = {}
    ends = sentence = 0
    last = 0
    previous: tuple[str, int] | None = None  # an unknown word at the end of `words`, and where it begins
    whole = folded.text
    for found in _WORD.finditer(whole):
        low, high = found.span()
        gap = whole[last:low]
        opens = not words.forms
        if gap != " ":
            if sentence >= _SHORT and _END.search(gap):
                ends, sentence = ends + SENTENCE, 0
            opens = opens or _CLAUSE.search(gap) is not None
        last = high
        token = found[0]
        known = forms.get(token)
        if known is not None:
            words.forms.append(known)
            words.places.append(len(words.forms) + ends)
            words.opens.append(opens)
            words.spans.append((low, high))
            sentence += 1
            previous = None
            continue
        bare = _CODE.search(whole[max(0, low - 1) : low] + whole[high : high + 1]) is None
        for number, (form, start, end) in enumerate(_read(token, vocabulary, forms, bare)):
            known_form = form in vocabulary.words or form.endswith("*")
            if not known_form and previous is not None and len(gap) <= _SHORT and number == 0:
                joined = vocabulary.form(previous[0] + form)
                if joined is not None and len(joined) > SENTENCE:  # "ig nore"
                    words.forms[-1], words.spans[-1] = joined, (words.spans[-1][0], low + end)
                    previous = None
                    continue
            words.forms.append(form)
            words.places.append(len(words.forms) + ends)
            words.opens.append(opens and number == 0)
            words.spans.append((low + start, low + end))
            sentence += 1
            previous = None if known_form or not form.isalpha() else (form, low)
    return words


def _read(token: str, vocabulary: KnownWords, forms: dict[str, str | None], bare: bool) -> list[tuple[str, int, int]]:
    """Return the words of a token, with their places in it; `forms` keeps what was looked up.

    Words written together are told apart in a `bare` token, one that is no name in code.
    """
    spaced = _IN_WORD.search(token) is not None
    word = _IN_WORD.sub("", token) if spaced else token
    if _UNSPACED.search(word):
        pieces = vocabulary.pieces(word)
        return [(token, 0, len(token))] if spaced or not pieces else pieces
    if word not in forms:
        forms[word] = vocabulary.form(word) if len(word) <= _READ else None
    known = forms[word]
    if known is not None:
        return [(known, 0, len(token))]
    if "'" in word:
        return [(vocabulary.form(part) or part, 0, len(token)) for part in _contracted(word)]
    if spaced or (bare and TOGETHER <= len(word) <= _READ):
        pieces = vocabulary.pieces(_spelt_out(word))
        clear = spaced or (len(pieces) > 1 and all(end - start >= _SHORT for _, start, end in pieces))
        if clear and sum(end - start for _, start, end in pieces) >= _COVERED * len(word):
            return [(form, 0, len(token)) if spaced else (form, start, end) for form, start, end in pieces]
    return [(word[:_READ], 0, len(token))]


def _contracted(word: str) -> Iterator[str]:
    """Yield the words of a contraction: "do" and "not", "you" and "are", "utilisateur" of "l'utilisateur"."""
    left, _, right = word.rpartition("'")
    if right == "t" and left.endswith("n"):
        yield from ({"ca": "can", "wo": "will", "ai": "are"}.get(left[:-1], left[:-1]), "not")
    elif right in _CONTRACTED:
        yield from (left, _CONTRACTED[right])
    elif len(right) <= 1:
        yield left
    elif len(left) <= 2 or left in ("dell", "all", "sull", "nell", "quell", "aujourd"):
        yield right
    else:
        yield from (part for part in (left, right) if part)


def _spelt_out(word: str) -> str:
    return word if word.isalpha() and word.isascii() else word.translate(_LOOKALIKES).translate(_DIGITS[0])


def _spellings(word: str) -> Iterator[str]:
    """Yield a word and its readings with Latin letters for lookalikes and for digits."""
    yield word
    if not word.isascii():
        word = word.translate(_LOOKALIKES)
        yield word
    if not word.isalpha() and any(each.isalpha() for each in word):
        bare = word.lstrip("@$") if word[1:].isalpha() else word
        yield from dict.fromkeys([bare, *(word.translate(digits) for digits in _DIGITS)])


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in plain small letters, and where its characters come from: `starts` of the stretches in it that
    correspond to the text from `origins` on.
    """

    text: str
    starts: list[int]
    origins: list[int]

    def origin(self, at: int) -> int:
        """Return the place in the original text of a place in the folded one."""
        number = bisect_right(self.starts, at) - 1
        place = self.origins[number] + at - self.starts[number]
        return min(place, self.origins[number + 1]) if number + 1 < len(self.origins) else place


def folded_text(text: str) -> FoldedText:
    """Return a text without unseen characters, accents, capital letters and compatibility forms."""
    pieces: list[str] = []
    starts, origins = [0], [0]
    size = at = 0
    for found in _ODD.finditer(text):
        shown = _entity(found) if found[0][0] == "&" else _folded(found[0])
        if found.start() > at:
            pieces.append(text[at : found.start()].lower())
            size += found.start() - at
            starts.append(size)
            origins.append(found.start())
        pieces.append(shown)
        size += len(shown)
        at = found.end()
        starts.append(size)
        origins.append(at)
    pieces.append(text[at:].lower())
    return FoldedText("".join(pieces), starts, origins)


def _entity(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else int(found[2])
    return _folded(chr(code)) if code < 0x110000 else found[0]


@lru_cache(maxsize=20_000)
def _folded(character: str) -> str:
    if 0xE0020 <= ord(character) <= 0xE007E:  # a tag, which stands for an ASCII character and is never shown
        return chr(ord(character) - 0xE0000).lower()
    if character in _PLAIN:
        return _PLAIN[character]
    if _UNSEEN.match(character):
        return ""
    shown = unicodedata.normalize("NFKD", character).casefold()
    return "".join(
        " " if unicodedata.category(each) == "Zs" else _PLAIN.get(each, each)
        for each in shown
        if not unicodedata.category(each).startswith("M")
    )


def vocabulary_of(phrases: Collection[str]) -> KnownWords:
    """Return the vocabulary of phrases, whose words are separated by blanks; one that ends in * is a beginning."""
    words = {folded_text(word).text for phrase in phrases for word in phrase.split()}
    return KnownWords(
        frozenset(word for word in words if not word.endswith("*")),
        frozenset(word[:-1] for word in words if word.endswith("*")),
    )

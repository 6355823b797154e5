"""Find phrases that refer to earlier work, in several languages, and make a search query from such a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from recall_rank.analysis.stop_words import STOP_WORDS
from recall_rank.frontends.hooks.english_cues import ENGLISH_CUES
from recall_rank.frontends.hooks.other_cues import OTHER_CUES

MIN_MESSAGE_CHARS: Final = 12  # a shorter message asks nothing
MAX_QUERY_CHARS: Final = 120  # words far from the phrase are rarely on the subject
MAX_OWN_CHARS: Final = 600  # at each end of a message: between them stand pasted texts and plans
MAX_READ_CHARS: Final = 100_000  # a longer message is a pasted text, and is not read to its end
ENOUGH_WORDS: Final = 2  # a sentence with as many telling words is a query without its neighbours

# What its author did not write: code between fences, quoted lines, lines of code.
_PASTED: Final = re.compile(r"^```.*?(?:^```|\Z)|^[ \t]*>.*$|^(?: {4}|\t).*$", re.MULTILINE | re.DOTALL)
_TROUBLE_LINE: Final = re.compile(r"error|exception|failed|failure|fatal|panic|denied|refused", re.IGNORECASE)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_RECALL_CALL: Final = re.compile(r"\brecall(?:_\w+)?\s*\([^)]*\)", re.IGNORECASE)
_PUNCTUATION: Final = re.compile(r"[^\w\s./:#@+\-]+")
# Function words of other languages, which the engine does not know as such; answers rarely contain them.
_FUNCTION_WORDS: Final = frozenset(
    """
    wie wo wann warum wer welche welchen welches haben hatten wir das der den dem die des ein eine einen für mit von im
    zum zur gemacht gebaut gelöst mal bitte nochmal du mir uns ist sind war
    par comment quand quel quelle quels quelles pourquoi le la les un une des
    du de pour avec dans sur et est avons nous on
    vous avait fait
    cómo como cuándo cuando qué que cuál cual por el los las una del para con en y es era hemos habíamos lo se
    onde quando qual os da do dos das com no na um uma foi temos
    perché dove il gli lo un di della del per con nel e abbiamo
    hoe waarom welke het een van voor met op hebben hadden we is
    как где когда почему мы это в на для с и jak gdzie kiedy my to nasıl nerede için ve bir
    """.split()
)
_NO_WORD: Final = re.compile(r"\W+")
# One class of all these ranges would take a millisecond to compile.
_WORD: Final = re.compile(r"[^\W_]{3,}|(?:[\u3040-\u30ff\u3400-\u9fff]|[\uac00-\ud7af]){2,}")
_ACCENTS: Final = str.maketrans(
    "àáâãäåçèéêëìíîïñòóôõöùúûüýąćęłńóśźżğşıİ", "aaaaaaceeeeiiiinooooouuuuyacelnoszzgsii"
)  # fmt: skip
_FIRST_OTHER: Final = "\u0400"  # letters from here on are of other alphabets


class _Cues(NamedTuple):
    """The phrases of one language, or of several, by which a message may refer to earlier work, as one pattern."""

    pattern: re.Pattern[str]
    is_english: bool


def refers_back(message: str, *, other_languages: bool = True) -> bool:
    """Return whether a message refers to earlier work, as "like last time" does.

    False for slash commands, for messages that call a recall tool, and for phrases in pasted text. Phrases in German
    and other languages than English count unless `other_languages` is false.
    """
    text = message[:MAX_READ_CHARS].strip()
    if len(text) < MIN_MESSAGE_CHARS and text.isascii():
        return False
    own = _own_words(text)
    return not own.startswith("/") and not _RECALL_CALL.search(own) and _cues_in(own, other_languages) is not None


def query_of(message: str, *, other_languages: bool = True) -> str:
    """Return the message as a query, without the phrases that refer to earlier work; "" when no word remains.

    Of a long message, the query has the sentence with the phrase, and its neighbours when it says little by itself.
    A pasted text gives a line when the message has few words of its own. `other_languages` is as in refers_back().
    """
    text = message[:MAX_READ_CHARS].strip()
    own = _own_words(text)
    cues = _cues_in(own, other_languages)
    if len(own) <= MAX_QUERY_CHARS:
        query = _without(cues, own)
    else:
        sentences = [each for each in _SENTENCE_END.split(own) if each]
        at = next((at for at, each in enumerate(sentences) if cues and cues.pattern.search(each)), 0)
        query = _enough([_without(cues, each) for each in sentences], at)
    if _telling_words(query) < ENOUGH_WORDS and len(own) < len(text):
        query = f"{query} {_cleaned(_pasted_line(text))}".strip()
    if len(query) > MAX_QUERY_CHARS:
        query = query[:MAX_QUERY_CHARS].rsplit(" ", 1)[0]
    return query if _telling_words(query) else ""


def _enough(sentences: Sequence[str], at: int) -> str:
    """Return sentence `at` and, until there are two telling words, that is words that are no stop words, the sentences
    after it and then those before it.
    """
    query = sentences[at]
    for near in (*sentences[at + 1 :], *reversed(sentences[:at])):
        if _telling_words(query) >= ENOUGH_WORDS:
            break
        if _telling_words(near):
            query = f"{query} {near}".strip()
    return query


def _own_words(text: str) -> str:
    """Return what the author of a message wrote: its beginning and its end, without code and quotations."""
    own = _PASTED.sub("", text).strip()
    return own if len(own) <= 2 * MAX_OWN_CHARS else f"{own[:MAX_OWN_CHARS]}\n{own[-MAX_OWN_CHARS:]}"


def _pasted_line(text: str) -> str:
    """Return, of the lines of the texts pasted into a message, the last one that tells of an error, else the first
    one; "" when nothing is pasted. Of each text the last 200 lines are read.
    """
    lines = [line for found in _PASTED.findall(text) for line in found.strip("`").splitlines()[-200:] if line.strip()]
    return next((line for line in reversed(lines) if _TROUBLE_LINE.search(line)), lines[0] if lines else "")


def _without(cues: _Cues | None, text: str) -> str:
    """Return a text as words of a query: phrases that `cues` match are left out, except for what their named groups
    captured.
    """
    if cues is None:
        return _cleaned(text)
    shown = cues.pattern.sub(lambda found: f" {' '.join(word for word in found.groupdict().values() if word)} ", text)
    words = _cleaned(shown)
    if not cues.is_english:
        words = " ".join(word for word in words.split() if word.lower() not in _FUNCTION_WORDS)
    return words


def _cleaned(text: str) -> str:
    return " ".join(word for word in _PUNCTUATION.sub(" ", text).split() if not _NO_WORD.fullmatch(word))


def _telling_words(query: str) -> int:
    return len({word.lower() for word in _WORD.findall(query)} - STOP_WORDS)


def _cues_in(text: str, other_languages: bool) -> _Cues | None:
    """Return the phrases of the language in which a text refers to earlier work, if it does.

    Without `other_languages`, only English phrases are looked for.
    """
    folded = text.translate(_ACCENTS).casefold().translate(_ACCENTS)
    words = frozenset(_NO_WORD.split(folded))
    has_other = any(char >= _FIRST_OTHER and char.isalpha() for char in folded)
    for cues in (ENGLISH_CUES, OTHER_CUES)[: 1 + other_languages]:
        possible = tuple(cue for needs, cue in cues if not words.isdisjoint(needs.split()) or (not needs and has_other))
        pattern = _compiled(possible)
        if pattern is not None and pattern.search(text):
            return _Cues(pattern, cues is ENGLISH_CUES)
    return None


@lru_cache(64)
def _compiled(cues: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern for any of these phrases; None for no phrases. All phrases of a language take longer to compile
    than a search takes.
    """
    return re.compile("|".join(cues), re.IGNORECASE | re.MULTILINE) if cues else None

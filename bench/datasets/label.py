"""Makes queries with known answers for a generated history, an equal number of each kind."""

from __future__ import annotations

import functools
import random
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from bench.datasets.generate import Mention
from bench.datasets.history_files import Answer, LabelledQuery
from bench.datasets.vocabulary import STYLES, misspell, words, write

PER_KIND = 300
MOST_ANSWERS = 5  # a thing that more parts mention is no known item
ALL_OF = 100_000  # largest history, in parts, of which every mention is kept
RARE = 400  # words from this rank on tell the topic of a passage

Way = Callable[[Mention, random.Random], str]
Found = dict[str, list[Mention]]  # key -> its mentions, one a part
_TOO_MANY = [Mention("", "", "", ("", None, None))] * (MOST_ANSWERS + 1)


def label(
    mentions: Iterable[Mention], seed: int = 1, per_kind: int = PER_KIND, parts: int = ALL_OF
) -> list[LabelledQuery]:
    """Return labelled queries of every kind in KINDS; fewer of a kind when the history does not hold enough mentions.

    Of histories of more than ALL_OF `parts` only a share of the mentioned things is kept in memory, each with all of
    its mentions. Identifiers are all kept, because a query for one identifier may name another by accident.
    """
    found: dict[str, Found] = defaultdict(lambda: defaultdict(list))
    share = max(1, parts // ALL_OF)
    for mention in mentions:
        if share > 1 and mention.kind != "identifier" and zlib.crc32(mention.key.encode()) % share:
            continue
        same = found[mention.kind][mention.key]
        if len(same) <= MOST_ANSWERS and not any(one.answer == mention.answer for one in same):
            same.append(mention)
            if len(same) > MOST_ANSWERS:
                found[mention.kind][mention.key] = _TOO_MANY  # replaced: only the count matters from here on
    queries = []
    for kind, (source, ask) in KINDS.items():
        chance = random.Random(f"{seed}/{kind}")
        keys = [key for key, same in found[source].items() if len(same) <= MOST_ANSWERS]
        chance.shuffle(keys)
        queries += _ask(kind, found[source], keys, functools.partial(_call, ask, chance), per_kind)
    return queries


def _call(ask: Way, chance: random.Random, mention: Mention) -> str:
    return ask(mention, chance)


def _ask(
    kind: str, found: Found, keys: Sequence[str], ask: Callable[[Mention], str], wanted: int
) -> list[LabelledQuery]:
    queries: list[LabelledQuery] = []
    for key in keys:
        if len(queries) == wanted:
            break
        mention, *others = found[key]
        text = ask(mention)
        if not text or (kind != "identifier" and plain(text) in found and plain(text) != key):
            continue  # impossible in this way, or the name of another thing
        answers: list[Answer] = [one.answer for one in (mention, *others)]
        sessions = frozenset(session for session, _, _ in answers)
        queries.append(LabelledQuery(f"{kind}-{len(queries):04d}", kind, text, answers, relevant_sessions=sessions))
    return queries


def plain(text: str) -> str:
    """Return the letters and digits in lower case: one string for all styles of a compound."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def pieces(text: str) -> list[str]:
    """Return the words of a compound in any style, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+", text)]


def _as_written(mention: Mention, chance: random.Random) -> str:  # noqa: ARG001 - every way of asking has one shape
    return mention.text


def _typo(mention: Mention, chance: random.Random) -> str:
    return misspell(mention.text, chance)


def _separator(mention: Mention, chance: random.Random) -> str:
    styles = [style for style in (*STYLES, "space", "glued") if write(pieces(mention.text), style) != mention.text]
    return write(pieces(mention.text), chance.choice(styles))


def _typo_separator(mention: Mention, chance: random.Random) -> str:
    words_of = pieces(mention.text)
    at = max(range(len(words_of)), key=lambda place: len(words_of[place]))
    if len(words_of[at]) < 4:
        return ""
    words_of[at] = misspell(words_of[at], chance)
    return write(words_of, chance.choice(("camel", "snake", "kebab", "space")))


def _noisy(mention: Mention, chance: random.Random) -> str:
    """Return an error line without about a quarter of its words, with one other word misspelt; "" for short lines."""
    said = mention.text.split()
    kept = [word for word in said if chance.random() > 0.25]
    long = [place for place, word in enumerate(kept) if len(word) > 4 and word.isalpha()]
    if len(kept) < 3 or not long:
        return ""
    at = chance.choice(long)
    kept[at] = misspell(kept[at], chance)
    return " ".join(kept)


def _phrase(mention: Mention, chance: random.Random) -> str:
    """Return five to seven adjacent words, at least two of them rare; "" when there are none."""
    for sentence in chance.sample(runs := re.split(r"[,.]\s*", mention.text), len(runs)):
        said = sentence.split(" ")
        if len(said) >= 5:
            start = chance.randint(0, len(said) - 5)
            taken = said[start : start + 7]
            if sum(_rare(word) for word in taken) >= 2:
                return " ".join(taken)
    return ""


def _dropped(mention: Mention, chance: random.Random) -> str:
    """Return about six in ten words of a request, at most twelve; "" when fewer than four are left."""
    said = re.findall(r"[^\s,.]+", mention.text)
    kept = [word for word in said if chance.random() < 0.6][:12]
    return " ".join(kept) if len(kept) >= 4 and sum(_rare(word) for word in kept) >= 2 else ""


def _rare(word: str) -> bool:
    return word.lower() not in _COMMON


_COMMON = frozenset(words()[:RARE])

# kind of query -> (kind of mention it is made from, how it is written)
KINDS: dict[str, tuple[str, Way]] = {
    "identifier": ("identifier", _as_written),
    "identifier_typo": ("identifier", _typo),
    "identifier_separator": ("identifier", _separator),
    "identifier_typo_separator": ("identifier", _typo_separator),
    "error_string": ("error", _as_written),
    "error_noisy": ("error", _noisy),
    "file_path": ("path", _as_written),
    "phrase": ("prose", _phrase),
    "words_dropped": ("request", _dropped),
}

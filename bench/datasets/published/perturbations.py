"""Misspelt copies of queries: one edit, two edits, two words joined otherwise, a word left out."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from bench.datasets.vocabulary import misspell, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.datasets.published.records import Row

SEED = 20261121
SHORTEST = 4  # letters of a word that is misspelt
STYLES = ("camel", "snake", "kebab", "glued")
LETTERS = re.compile(r"[^\W\d_]+")
# words of SHORTEST letters or more that tell little of what is asked
EMPTY = frozenset(
    "about been could does from have having into should that their them then there these they this those were what when"
    " where which while whom whose will with would your".split()
)


def perturbed(queries: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the copies of the queries for each of KINDS; a query that cannot be changed is copied as it is."""
    copies = {}
    for kind, change in KINDS.items():
        copies[kind] = [
            {**query, "query": change(query["query"], random.Random(f"{SEED}/{kind}/{query['id']}"))}
            for query in queries
        ]
    return copies


def _content(said: Sequence[str]) -> list[int]:
    """Return the places of the words that tell what is asked."""
    return [at for at, word in enumerate(said) if _tells(word)]


def _tells(word: str) -> bool:
    return any(len(run) >= SHORTEST and run.lower() not in EMPTY for run in LETTERS.findall(word))


def _typos(count: int) -> Callable[[str, random.Random], str]:
    """Return a change that makes one edit in each of `count` words; their first letters stay."""

    def change(asked: str, chance: random.Random) -> str:
        said = asked.split(" ")
        places = _content(said)
        for at in chance.sample(places, min(count, len(places))):
            run = max(LETTERS.finditer(said[at]), key=lambda found: len(found[0]))
            edited = run[0][0] + misspell(run[0][1:], chance)
            said[at] = said[at][: run.start()] + edited + said[at][run.end() :]
        return " ".join(said)

    return change


def _joined(asked: str, chance: random.Random) -> str:
    """Return the query with two adjacent words joined in another style; signs after the second word stay."""
    said = asked.split(" ")
    content = set(_content(said))
    places = [
        at
        for at in range(len(said) - 1)
        if content & {at, at + 1} and LETTERS.fullmatch(said[at]) and LETTERS.match(said[at + 1])
    ]
    if not places:
        return asked
    at = chance.choice(places)
    second = LETTERS.match(said[at + 1])
    assert second is not None  # it was matched above
    joined = write((said[at].lower(), second[0].lower()), chance.choice(STYLES))
    return " ".join([*said[:at], joined + said[at + 1][second.end() :], *said[at + 2 :]])


def _dropped(asked: str, chance: random.Random) -> str:
    """Return the query without one of its telling words; signs at its end stay."""
    said = asked.split(" ")
    places = _content(said)
    if len(places) < 2:
        return asked
    at = chance.choice(places)
    rest = re.sub(r"^[\w'’-]+", "", said[at])
    return " ".join([*said[:at], *([rest] if rest else []), *said[at + 1 :]])


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "typo1": _typos(1),
    "typo2": _typos(2),
    "sep": _joined,
    "drop": _dropped,
}

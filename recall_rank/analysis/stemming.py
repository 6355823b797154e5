"""The forms of English words: stems by the Snowball algorithm, and irregular forms from a table."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the English stem of a lower-case word (Snowball's Porter2,
    snowballstem.org/algorithms/english/stemmer.html).

    A word of fewer than three letters, or with characters other than a-z, is its own stem.
    """
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    return str(_stemmer().stemWord(word))


def stem_all(words: list[str]) -> list[str]:
    """Return stem() of every word, without a cache. Each word should have at least three letters and only a-z."""
    return list(_stemmer().stemWords(words))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer  # loaded with the first query that needs it

    return Stemmer.Stemmer("english", 0)


def irregular_forms(word: str) -> list[str]:
    """Return the other forms of an irregular English word, the base form first; empty for a regular word."""
    base = _BASES.get(word, word)
    return [form for form in (base, *_FORMS.get(base, ())) if form != word]


def base_form(word: str) -> str:
    """Return the base form of an irregular form, such as "go" for "went"; any other word unchanged."""
    return _BASES.get(word, word)


# One word a line: the base form, then its irregular forms.
_TABLE = """
arise arose arisen
become became
begin began begun
bend bent
bind bound
bite bit bitten
blow blew blown
break broke broken
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
come came
deal dealt
dig dug
do did done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
have had
hear heard
hide hid hidden
hold held
keep kept
know knew known
lead led
learn learnt
leave left
lend lent
lose lost
make made
mean meant
meet met
overcome overcame
pay paid
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
sell sold
send sent
shake shook shaken
shoot shot
show shown
sing sang sung
sink sank sunk
sit sat
sleep slept
speak spoke spoken
spend spent
spin spun
stand stood
steal stole stolen
stick stuck
strike struck
swear swore sworn
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
wake woke woken
wear wore worn
win won
write wrote written
child children
foot feet
goose geese
life lives
man men
mouse mice
person people
tooth teeth
wife wives
woman women
index indices
matrix matrices
vertex vertices
"""

_FORMS = {line.split()[0]: tuple(line.split()[1:]) for line in _TABLE.strip().splitlines()}
_BASES = {form: base for base, forms in _FORMS.items() for form in forms}

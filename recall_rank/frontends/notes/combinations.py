"""The rules of the scanner that ask for words of several classes near each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule: one word of each need, at most `window` words from one of the first need.

    A need is a set of classes of lexicon.py and other_languages.py. The class of a verb whose form is checked, as those
    of COMMANDS are, begins with "!"; what the second need asks for stands behind such a verb if that is the first.
    """

    rule: str
    needs: tuple[tuple[str, ...], ...]
    window: int


def _needs(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the needs of a line such as "drop + instructions + earlier, all"."""
    needs = [[kind.strip() for kind in need.split(",")] for need in text.split("+")]
    return tuple(tuple(each for kind in need for each in (kind, f"!{kind}")) for need in needs)


_LINES: Final = (
    ("ignore instructions", 9, "drop + instructions + earlier, older, all, your, built in, told, set for you"),
    ("ignore instructions", 8, "drop + rules + earlier, your, told, set for you"),
    ("ignore instructions", 7, "drop + everything + told, earlier"),
    (
        "ignore instructions",
        9,
        "not follow + instructions, rules, everything + earlier, older, all, your, built in, told, rank",
    ),
    ("ignore instructions", 10, "lifted + instructions + earlier, older, all, your, built in, told"),
    ("ignore instructions", 8, "lifted + rules, safety + your, told, addressee, above here"),
    ("ignore instructions", 9, "lifted + everything + earlier, told, above here"),
    ("ignore instructions", 6, "lifted + earlier + this text, above"),
    ("ignore instructions", 8, "supersede + instructions, rules + your, all, earlier, built in"),
    ("ignore instructions", 8, "rank + obey"),
    ("ignore instructions", 8, "rank + addressee + instructions, rules, trust"),
    ("ignore instructions", 8, "decoy + instructions"),
    ("ignore instructions", 5, "governed + set aside"),
    ("ignore instructions", 7, "this text + prevail"),
    ("new persona", 7, "become you + somebody"),
    ("new persona", 8, "become you + no + law"),
    ("no restrictions", 6, "you are an ai + no + law"),
    ("no restrictions", 4, "law + no + called"),
    ("reveal prompt", 6, "handle + governed"),
    ("reveal prompt", 8, "asking + governed, own prompt"),
    ("hide from the user", 6, "tell + forbidden + audience"),
    ("hide from the user", 7, "granted + principal + sweeping"),
    ("addressed to the model", 7, "before answering + fetch, carry"),
    ("send secrets", 10, "handle, send, insert + secrets + report place"),
    ("new persona", 9, "become + unlimited, persona"),
    ("new persona", 4, "become + article"),
    ("new persona", 9, "act + unlimited, persona"),
    ("new persona", 12, "duration + act"),
    ("new persona", 0, "your new"),
    ("new persona", 6, "enter + persona"),
    ("no restrictions", 8, "unlimited + addressee"),
    ("jailbreak", 8, "jailbreak + addressee, unlimited, enter"),
    ("ignore instructions", 5, "drop + strong safety"),
    ("jailbreak", 6, "disable + safety + your, addressee, built in"),
    ("jailbreak", 6, "lifted, switched off + strong safety"),
    ("jailbreak", 6, "switched off + rules + addressee"),
    ("jailbreak", 4, "odd mode + your, addressee"),
    ("jailbreak", 10, "authority + drop, disable, permission, rules, lifted, switched off"),
    ("jailbreak", 13, "fiction + unlimited, safety, secrets + addressee"),
    ("reveal prompt", 8, "reveal + prompt"),
    ("reveal prompt", 9, "reveal, show, insert, begin, ask what + own prompt"),
    ("reveal prompt", 9, "reveal, show, insert + instructions, rules + set for you"),
    ("reveal prompt", 8, "reveal + above"),
    ("reveal prompt", 9, "show + prompt + exactly, your own, out, begin"),
    ("reveal prompt", 9, "show + above + exactly, your own"),
    ("reveal prompt", 6, "ask what + instructions, prompt"),
    ("send secrets", 12, "send + secrets, conversation, files, private + place"),
    ("send secrets", 10, "every time + fetch + place"),
    ("send secrets", 12, "read, insert + secrets + out"),
    ("send secrets", 12, "insert + secrets, conversation + base64"),
    ("send secrets", 10, "insert + conversation, secrets + picture + place"),
    ("hide from the user", 8, "not tell + user"),
    ("hide from the user", 6, "not ask + carry"),
    ("hide from the user", 1, "silent + carry, run"),
    ("hide from the user", 0, "discreet"),
    ("hide from the user", 8, "asks + lie"),
    ("hide from the user", 10, "fabricate + regardless"),
    ("hide from the user", 8, "consent + not ask, permission, safety, carry"),
    ("hide from the user", 8, "approve + permission + automatically"),
    ("addressed to the model", 10, "to the model + must"),
    ("addressed to the model", 8, "reads + must + addressee"),
    ("addressed to the model", 9, "if reading + carry, run, must"),
    ("addressed to the model", 9, "trigger + carry"),
    ("obey a text", 9, "fetch, read, decode + obey text"),
    ("new instructions", 8, "override + must, addressee"),
)
COMBINATIONS: Final = tuple(Combination(rule, _needs(needs), window) for rule, window, needs in _LINES)

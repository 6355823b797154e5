"""The rules of the scanner: which ingredients near each other make an injected instruction, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Combination:
    """A rule: one word of each need, at most `window` words from one of the first need.

    A need is a set of classes of lexicon.py and other_languages.py. The class of a verb whose form is checked, as those
    of COMMANDS are, begins with "!". In an `ordered` rule each need stands behind the one before it; in any other one
    only the second stands behind the first, if the first is such a verb.
    """

    rule: str
    needs: tuple[tuple[str, ...], ...]
    window: int
    ordered: bool


def _needs(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the needs of a line such as "drop + instructions + earlier, all"."""
    needs = [[kind.strip() for kind in need.split(",")] for need in text.replace(">", "+").split("+")]
    return tuple(tuple(each for kind in need for each in (kind, f"!{kind}")) for need in needs)


_LINES: Final = (
    ("ignore instructions", 9, "drop + instructions + earlier, all, your, built in, given, boss, told"),
    ("ignore instructions", 7, "drop + rules + earlier, your, given, boss, told"),
    ("ignore instructions", 7, "skip + rules + given, told"),
    ("ignore instructions", 5, "drop + strong safety"),
    ("ignore instructions", 7, "drop + everything + given, told"),
    ("ignore instructions", 5, "drop + your + contents of mind"),
    ("ignore instructions", 8, "not follow + instructions, rules, everything + earlier, all, your, given, told"),
    ("ignore instructions", 7, "stop > obeying > boss"),
    ("ignore instructions", 6, "stop > obeying > instructions, rules + your, given, earlier, model, boss"),
    ("ignore instructions", 7, "stop > obeying > your, given, earlier, model, boss, all > instructions, rules"),
    ("ignore instructions", 6, "drop + everything + boss"),
    ("ignore instructions", 8, "ended + everything + boss"),
    ("jailbreak", 6, "ended, off + strong safety"),
    ("ignore instructions", 9, "ended + instructions + your, model, given, earlier"),
    ("ignore instructions", 9, "ended + rules, safety + your, model, given"),
    ("ignore instructions", 6, "this text > prevail + boss, your, instructions, rules, all"),
    ("ignore instructions", 6, "only + obeying, obey + this text"),
    ("ignore instructions", 6, "prevail + your, model, boss + instructions, rules, this text"),
    ("ignore instructions", 6, "strong decoy + claim"),
    ("new persona", 9, "become + unlimited, persona"),
    ("new persona", 4, "become + article"),
    ("new persona", 7, "act + free, unlimited, persona"),
    ("new persona", 5, "pose > power"),
    ("new persona", 7, "duration + act + somebody"),
    ("new persona", 3, "your > real > mission"),
    ("new persona", 5, "your > free"),
    ("new persona", 0, "impersonate"),
    ("no restrictions", 6, "model > no law > rules, safety"),
    ("no restrictions", 5, "your > no law > safety, rules"),
    ("no restrictions", 8, "unlimited + addressee"),
    ("jailbreak", 4, "act > odd > mode"),
    ("jailbreak", 4, "odd > mode > addressee, carry"),
    ("jailbreak", 5, "disable + safety + your, model, built in"),
    ("jailbreak", 9, "disable + barrier + your, model, all, trigger, urgent"),
    ("jailbreak", 10, "fiction + secrets, safety, free + addressee"),
    ("reveal prompt", 6, "reveal + prompt"),
    ("reveal prompt", 8, "reveal, show + own"),
    ("reveal prompt", 8, "prompt + exactly"),
    ("reveal prompt", 4, "asking > instructions, rules > your"),
    ("reveal prompt", 8, "reveal, show + instructions, rules + given"),
    ("reveal prompt", 8, "reveal, show + above + exactly, everything, conversation"),
    ("reveal prompt", 6, "show + prompt + exactly, your"),
    ("reveal prompt", 4, "asking > your > instructions, rules"),
    ("send secrets", 12, "send + secrets, private, conversation + place"),
    ("send secrets", 8, "send + secrets + out"),
    ("hide from the user", 7, "not > know > user"),
    ("hide from the user", 5, "nobody > know"),
    ("hide from the user", 7, "conceal + user, report"),
    ("hide from the user", 7, "report + conceal"),
    ("hide from the user", 6, "deceive + user, this text"),
    ("hide from the user", 0, "no trace"),
    ("hide from the user", 8, "not tell + user"),
    ("hide from the user", 6, "not ask + carry, run"),
    ("hide from the user", 8, "asked > lie"),
    ("hide from the user", 5, "silent > carry, run > what to run, place, secrets, private"),
    ("hide from the user", 9, "approve + permission + sweeping"),
    ("hide from the user", 12, "principal > granted > sweeping, model, rules"),
    ("addressed to the model", 9, "any model + must, carry, obeying, run"),
    ("addressed to the model", 7, "remember + preference"),
    ("addressed to the model", 8, "urgent + carry, disable"),
)
COMBINATIONS: Final = tuple(Combination(rule, _needs(needs), window, ">" in needs) for rule, window, needs in _LINES)

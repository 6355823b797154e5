"""The sentences of a conversation that should outlive its compaction: decisions, constraints, open tasks, causes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from recall_rank.model import Flag, Message, Session

LEAST_CHARS, MOST_CHARS = 15, 240
READ_CHARS: Final = 20_000  # of one part: what is longer was pasted, not said
_SKIPPED: Final = Flag.SYNTHETIC | Flag.SUMMARY | Flag.ABANDONED | Flag.SUBAGENT
_TYPES: Final = ("text", "reasoning")

# kind -> what it is worth, and how it is said; the first that fits names a sentence
_KINDS: Final = {
    "root cause": 1.0,
    "decision": 0.9,
    "constraint": 0.8,
    "open task": 0.7,
}
_SAID: Final = {
    "root cause": (
        r"\broot cause\b|\bcaused by\b|\bturn(?:s|ed) out\b",
        r"\bthe (?:real )?(?:problem|issue|bug|culprit|reason) (?:is|was)\b",
        r"\b(?:failed|fails|breaks?|broke|hangs?|leaks?|never|stalls?|crash(?:es|ed))\b.*\bbecause\b",
        r"\bursache\b|\blag daran\b|\bla cause\b|\bla causa\b|\ba causa\b|причина|根本原因|原因(?:是|は)|원인",
    ),
    "decision": (
        r"\b(?:we|i|let's|lets)(?:'ve| have|'ll| will)? (?:decide|chose|choose|agree|settle|pick|reject|went with)\w*",
        r"\bdecision\b|\binstead of\b|\bgo(?:ing)? with\b|\brather than\b",
        r"\bwe (?:will |'ll )?(?:keep|drop|use) .*\bbecause\b",
        r"\b(?:entschieden|beschlossen|stattdessen|nehmen wir)\b|\bbesloten\b",
        r"\bd[eé]cid[eé]\b|\bdecidi(?:mos|do)?\b|\bdeciso\b|решили|决定|決定|결정",
    ),
    "constraint": (
        r"\b(?:must|never ever|do not|don't|dont|only ever|has to|have to)\b",
        r"\b(?:required?|requirement|make sure|without breaking)\b|\bkeep\b.*\b(?:intact|unchanged|as it is)\b",
        r"\b(?:muss|müssen|darf|dürfen|auf keinen fall)\b|\b(?:il faut|doit|ne pas)\b",
        r"\b(?:debe|no se puede|deve)\b|нельзя|обязательно|必须|不要|不能|必ず|しないで|반드시|하지 마",
    ),
    "open task": (
        r"\b(?:todo|fixme)\b|\bnext (?:step|we|i)\b|\bstill (?:needs?|have to|open|missing|to do|fails?)\b",
        r"\bremaining\b|\bnot yet\b|\bleft to do\b|\bfollow[- ]up\b",
        r"\bnoch (?:offen|zu tun|nicht)\b|\bnächster schritt\b|\breste à\b",
        r"\bfalta\b|\bpendiente\b|\bda fare\b|осталось|还需要|待办|残り|아직",
    ),
}
_PATTERNS: Final = tuple(
    (kind, worth, re.compile("|".join(_SAID[kind]), re.IGNORECASE)) for kind, worth in _KINDS.items()
)
_ORDERS: Final = re.compile(  # of a user a rule, of an assistant a remark on how things are
    r"\b(?:never|always|niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|mai|nooit|altijd)\b|всегда|никогда",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"[^\n.!?。！？]+(?:[.!?](?!\s|$)[^\n.!?。！？]*)*[.!?。！？]*")
_LIST_MARK: Final = re.compile(r"^[\s>*#\-•\d.)\]]+")


@dataclass(frozen=True, slots=True)
class Kept:
    """A sentence, what it is, who said it where, and what it is worth."""

    kind: str
    text: str
    message_id: str
    worth: float


def worth_keeping(session: Session) -> list[Kept]:
    """The sentences, the most worth first; of what was said twice the newest."""
    found: dict[str, Kept] = {}
    count = max(1, len(session.messages))
    for at, message in enumerate(session.messages):
        for kept in _of(message, (at + 1) / count):
            found[kept.text.lower()] = kept
    return sorted(found.values(), key=lambda kept: -kept.worth)  # of equals the older first: sorting is stable


def _of(message: Message, age: float) -> Iterator[Kept]:
    """The sentences of one message; `age` is its place in the session, 1 the newest."""
    if message.role not in ("user", "assistant") or message.flags & _SKIPPED:
        return
    mine = 0.15 if message.role == "user" else 0.0
    for part in message.parts:
        if part.type not in _TYPES or part.flags & _SKIPPED or not part.text:
            continue
        thought = -0.1 if part.type == "reasoning" else 0.0
        for sentence in _sentences(part.text[:READ_CHARS]):
            kind, worth = _kind(sentence, mine=bool(mine))
            if kind:
                yield Kept(kind, sentence, message.id, worth + mine + thought + 0.2 * age)


def _kind(sentence: str, *, mine: bool) -> tuple[str, float]:
    """What a sentence is and what that is worth; "" where it is nothing to keep."""
    for kind, worth, pattern in _PATTERNS:
        if pattern.search(sentence):
            return kind, worth
    return ("constraint", 0.6) if mine and _ORDERS.search(sentence) else ("", 0.0)


def _sentences(text: str) -> Iterable[str]:
    """Sentences of a readable length, outside of code."""
    fenced = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and not line.startswith(("    ", "\t")):
            for found in _SENTENCE.findall(line):
                sentence = " ".join(_LIST_MARK.sub("", found).split())
                least = LEAST_CHARS if sentence.isascii() else LEAST_CHARS // 2  # a sign may be a word
                if least <= len(sentence) <= MOST_CHARS and not sentence.endswith(("?", "？")):
                    yield sentence

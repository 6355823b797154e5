"""Extract sentences to keep when a conversation is compacted: decisions, constraints, open tasks, root causes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recall_rank.analysis.sentences import sentences
from recall_rank.model import Flag, Message, Session
from recall_rank.model.record_classes import frozen

_SKIPPED: Final = Flag.SYNTHETIC | Flag.SUMMARY | Flag.ABANDONED | Flag.SUBAGENT
_TYPES: Final = ("text", "reasoning")

# Kinds with their worth. A sentence has the first kind with a pattern that it matches.
_WORTH: Final = {
    "root cause": 1.0,
    "decision": 0.9,
    "constraint": 0.8,
    "open task": 0.7,
}
_AUXILIARIES: Final = r"(?:[’'](?:ve|ll|re|m|d)| (?:have|has|had|will|are|am|is|all|both|now|just|finally|already))*"
_DECIDING: Final = (  # verbs of deciding, also in the past and progressive
    r"(?:decid|chos|choos|agree|settl|pick(?! ?up)|reject|went with|opt(?:ed|ing)? for|standardi[sz]|"
    r"rul(?:e|ed|ing) out|(?:stick|stuck|stay|stayed)(?:ing)? with|sign(?:ed|ing)? off on|land(?:ed|ing)? on|"
    r"committ?(?:ed|ing)? to (?!(?:the )?(?:main|master|branch|repo|git|origin)))"
)
_DECIDED: Final = r"(?:decided|agreed|settled|chosen|ruled out|signed off)"  # of a thing: "that is settled"
_WORDINGS: Final = {
    "root cause": (
        r"\broot cause\b[^.:;]{0,60}?(?::| (?:is|was)\b)|\bcaused by\b|\bturn(?:s|ed) out\b",
        r"\bthe fix\b[^.:;]{0,60}?(?::| (?:is|was)\b)",
        r"\bthe (?:real )?(?:problem|issue|bug|culprit|reason) (?:is|was)\b",
        r"\b(?:failed|fails|breaks?|broke|hangs?|leaks?|never|stalls?|crash(?:es|ed))\b.*\bbecause\b",
        r"\bursache\b|\blag daran\b|\bla cause\b|\bla causa\b|\ba causa\b|причина|根本原因|原因(?:是|は)|원인",
    ),
    "decision": (
        rf"\b(?:we|i|the team|let[’']?s|let us){_AUXILIARIES} {_DECIDING}",
        r"\bdecision\b|\binstead of\b|\bgo(?:ing)? with\b|\brather than\b",
        r"\bwe(?:[’']ll| will)? (?:keep|drop|use) .*\bbecause\b",
        # a word that announces what was decided
        r"^(?:our |the |my )?(?:decided|agreed|approved|resolved|verdict|conclusion|consensus)\b[^:,]{0,40}[:,] ",
        r"\bfinal (?:call|choice|answer|verdict)\b|\b(?:our|the|my) (?:pick|choice|consensus|verdict) (?:for|is|on)\b",
        rf"\b(?:is|was|are|were|been) (?:now |already |finally )?{_DECIDED}\b|\bma[dk]e up (?:my|our) minds?\b",
        (
            r"\b(?:proposal|plan|design|approach|option|recommendation|suggestion)\b[^.:;]{0,40} "
            r"(?:is|was|were|been|got) (?:approved|accepted|rejected|turned down)\b"
        ),
        r"\bplan of record\b|\b(?:call|choice) (?:is|was|has been) (?:made|final)\b",
        r"\bfrom (?:now|today) on\b|\bgoing forward\b|\bfor good\b|\bafter all\b",
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
        r"\bremaining:|\bremains? to\b|\bnot yet\b|\bleft to do\b|\bfollow[- ]ups?(?::| (?:is|are|on|with|needed)\b)",
        r"\bnoch (?:offen|zu tun|nicht)\b|\bnächster schritt\b|\breste à\b",
        r"\bfalta\b|\bpendiente\b|\bda fare\b|осталось|还需要|待办|残り|아직",
    ),
}
_PATTERNS: Final = tuple(
    (kind, worth, re.compile("|".join(_WORDINGS[kind]), re.IGNORECASE)) for kind, worth in _WORTH.items()
)
_RULES: Final = re.compile(  # a user states a rule with these words, an assistant mostly a fact
    r"\b(?:never|always|niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|mai|nooit|altijd)\b|всегда|никогда",
    re.IGNORECASE,
)


@frozen
class CompactionNote:
    """A sentence to keep when a session is compacted, that is, replaced by a summary.

    `kind` is such as "decision". Notes with a higher `worth` come first.
    """

    kind: str
    text: str
    message_id: str
    worth: float


def compaction_notes(session: Session) -> list[CompactionNote]:
    """Return the notes of a session by descending worth; of equal sentences, only the newest is returned."""
    found: dict[str, CompactionNote] = {}
    count = max(1, len(session.messages))
    for at, message in enumerate(session.messages):
        for note in _notes_of(message, (at + 1) / count):
            found[note.text.lower()] = note
    return sorted(found.values(), key=lambda note: -note.worth)  # stable: of equal worth the older first


def _notes_of(message: Message, position: float) -> Iterator[CompactionNote]:
    """Yield the notes in one message; `position` is its place in the session, above 0 and up to 1 for the newest
    message.
    """
    if message.role not in ("user", "assistant") or message.flags & _SKIPPED:
        return
    by_user = 0.15 if message.role == "user" else 0.0
    for part in message.parts:
        if part.type not in _TYPES or part.flags & _SKIPPED or not part.text:
            continue
        reasoning = -0.1 if part.type == "reasoning" else 0.0
        for sentence in sentences(part.text):
            kind, worth = _kind(sentence, by_user=message.role == "user")
            if kind:
                yield CompactionNote(kind, sentence, message.id, worth + by_user + reasoning + 0.2 * position)


def _kind(sentence: str, *, by_user: bool) -> tuple[str, float]:
    """Return the kind of a sentence, such as "decision", and its worth; ("", 0) for one that need not be kept.

    `by_user` tells that the user wrote it.
    """
    for kind, worth, pattern in _PATTERNS:
        if pattern.search(sentence):
            return kind, worth
    return ("constraint", 0.6) if by_user and states_rule(sentence) else ("", 0.0)


def states_rule(sentence: str) -> bool:
    """Return whether a sentence of a user states a standing rule, with a word such as "always" or "never"."""
    return _RULES.search(sentence) is not None

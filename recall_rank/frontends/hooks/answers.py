"""Find what answered a question or resolved a problem: the messages after it that say so, or the last command."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from recall_rank.analysis.fields import is_recall_tool
from recall_rank.analysis.normalize import fold
from recall_rank.analysis.sentences import MAX_CHARS, READ_CHARS, sentences
from recall_rank.model import Context, Flag, Message, Session

MAX_AHEAD: Final = 80  # messages after the hit that are read: what follows later is another task
MAX_REPORT_AHEAD: Final = 6  # messages after an error: later ones report on other work
WORDS_PER_SHARED: Final = 3  # words of the query for each that a sentence must contain
_SKIPPED: Final = Flag.SYNTHETIC | Flag.SUMMARY | Flag.ABANDONED | Flag.SUBAGENT
_FAILED: Final = _SKIPPED | Flag.ERROR

# A sentence with these words tells what resolved a problem, or why something was decided.
_SETTLES: Final = re.compile(
    r"\b(?:fixed|fixes|solved|resolved|repaired|cured|works now|now works|no longer|root cause|caused by|turn(?:s|"
    r"ed) out|the (?:real )?(?:fix|solution|workaround|answer|reason|cause|culprit|"
    r"problem)(?: [^\s.,;:]+){0,6}? (?:is|was)|was (?:due to|because)|because|thanks to|instead of|rather than|"
    r"(?:tests?|suite|all|it|everything|repeats|runs) (?:now )?pass(?:es|ed)?|(?:we|i)(?:['’]ve| have)? (?:decided|"
    r"chose|agreed|settled|picked|went with))\b|\b(?:behoben|gelöst|repariert|lag (?:an|daran)|weil|corrig[eé]e?|"
    r"r[eé]solue?|r[eé]gl[eé]e?|parce que|solucionad[oa]|arreglad[oa]|resuelto|porque|corrigid[oa]|resolvid[oa]|"
    r"risolt[oa]|corrett[oa]|perché|opgelost|omdat|naprawion[eya]|ponieważ|düzeltildi|çözüldü|çünkü)\b|исправ|"
    r"починил|реш[её]н|потому что|виправ|тому що|"
    r"修复|修復|已?解决了|已?解決|因为|因為|修正し|直し|ため|고쳤|해결했|수정했|때문",
    re.IGNORECASE,
)
# An agent reports its work with these words at the beginning of a sentence.
_REPORTS: Final = re.compile(
    r"^(?:(?:done|ok|okay|yes)[.,:;!] )?(?:(?:i|we)(?:['’]ve| have)? )?(?:now )?(?:set|added|changed|replaced|moved|"
    r"removed|switched|raised|increased|lowered|reduced|enabled|disabled|rewrote|wrapped|pinned|bumped|reset|updated|"
    r"deleted|installed|configured|downgraded|upgraded|rebuilt|restarted|made|used|corrected|reverted|migrated|"
    r"dropped)\b",
    re.IGNORECASE,
)
# A sentence with these words leaves a question open.
_OPEN: Final = re.compile(
    r"\b(?:even if|whether|(?:could|can|did|do)(?: not|n['’]t) (?:find|reproduce|determine|tell|know|remember|recall)|"
    r"cannot (?:find|tell|reproduce)|no (?:idea|record|memory|trace of)|not (?:yet )?(?:sure|clear|fixed|solved|"
    r"resolved)|unclear|unresolved|still (?:fails?|failing|broken|hangs?|not)|might|may|could|should|would|"
    r"perhaps|maybe|let me|i(?:['’]ll| will)|going to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a hit: whole sentences or a command. `settles` tells that its words claim to settle it."""

    text: str
    message_id: str
    settles: bool


@dataclass(frozen=True, slots=True)
class _Claim:
    """A sentence that says that a question was answered or a problem solved, with the number of query words in it; `at`
    is the number of its message in the session.
    """

    shared: int
    at: int
    answer: Answer


def answer_to(
    session: Session, message_id: str, words: Collection[str], context: Context | None, clean: Callable[[str], str]
) -> Answer | None:
    """Return what answers a message of a session: the message itself or one of the 80 messages after it; None without
    an answer.

    Taken is the sentence that settles something and contains most of `words`, the stems that the hit matched, at least
    a third of them; of equal ones, the last. When there is none, a user's message is answered by the conclusion of its
    turn: the last text before the user's next message, or else the last command. Any other message, such as one with an
    error, is answered by a text soon after it that settles something. Messages that the model of the caller still
    reads, as `context` tells, are no answers. `clean` is applied to whole texts, such as to replace secrets in them.
    """
    start = next((at for at, message in enumerate(session.messages) if message.id == message_id), None)
    if start is None:
        return None
    thread = _unread(session, start, context)
    claims = [claim for at, message in thread for claim in _claims(at, message, words, clean)]
    if claims:
        return max(claims, key=lambda claim: (claim.shared, claim.at)).answer
    turn = list(takewhile(lambda message: message.role != "user", (message for at, message in thread if at > start)))
    if session.messages[start].role == "user":
        return _conclusion(turn, clean) or _last_command(turn)
    return _report(turn[:MAX_REPORT_AHEAD], clean)


def _unread(session: Session, start: int, context: Context | None) -> Sequence[tuple[int, Message]]:
    """Return the messages from `start` on with their places, without those that the caller's model still reads."""
    named: Collection[str] = ()
    since = None
    if context is not None and context.session_id == session.id:
        named, since = frozenset(context.in_context), context.in_context_since
    found: list[tuple[int, Message]] = []
    for at, message in enumerate(session.messages[: start + MAX_AHEAD + 1]):
        if message.id == since:
            break
        if at >= start and message.id not in named:
            found.append((at, message))
    return found


def _claims(at: int, message: Message, words: Collection[str], clean: Callable[[str], str]) -> Iterator[_Claim]:
    """Yield the sentences of a message that settle something and contain a third of `words`, each with the sentences
    after it, up to 240 characters.
    """
    for text in _texts(message):
        said = list(sentences(clean(text)))
        for place, sentence in enumerate(said):
            shared = _shared(words, sentence)
            if 0 < len(words) <= shared * WORDS_PER_SHARED and _settles(sentence, message):
                yield _Claim(shared, at, Answer(_joined(said[place:]), message.id, settles=True))


def _settles(sentence: str, message: Message) -> bool:
    """Return whether a sentence claims to settle something; a heading, which ends with a colon, does not."""
    claims = _SETTLES.search(sentence) or (message.role != "user" and _REPORTS.search(sentence))
    return bool(claims) and not _OPEN.search(sentence) and not sentence.endswith((":", ":**"))


def _conclusion(messages: Sequence[Message], clean: Callable[[str], str]) -> Answer | None:
    """Return the last text of `messages`: from its first sentence that settles something on, or else from its
    beginning. None when that sentence leaves the question open, or when there is no text.
    """
    for message in reversed(messages):
        for text in reversed(list(_texts(message))):
            said = list(sentences(clean(text)))
            if said:
                first = next((place for place, each in enumerate(said) if _settles(each, message)), 0)
                open_still = _OPEN.search(said[first])
                return None if open_still else Answer(_joined(said[first:]), message.id, settles=False)
    return None


def _report(messages: Sequence[Message], clean: Callable[[str], str]) -> Answer | None:
    """Return the first text that settles something, from the sentence on that does so; None when no text does."""
    for message in messages:
        for text in _texts(message):
            said = list(sentences(clean(text)))
            first = next((place for place, each in enumerate(said) if _settles(each, message)), None)
            if first is not None:
                return Answer(_joined(said[first:]), message.id, settles=False)
    return None


def _last_command(messages: Sequence[Message]) -> Answer | None:
    """Return the command of the last tool call that did not fail, without calls of recall tools; None when there is
    none.
    """
    for message in reversed(messages):
        for part in reversed(message.parts):
            if part.type != "tool" or part.error or part.flags & _FAILED or is_recall_tool(part.tool):
                continue
            command = part.input.get("command") if isinstance(part.input, Mapping) else None
            if isinstance(command, str) and command.strip():
                return Answer(command.strip(), message.id, settles=False)
    return None


def _texts(message: Message) -> Iterator[str]:
    """Yield the texts that a person or an agent wrote in a message, the first 20,000 characters of each part."""
    if message.role in ("user", "assistant"):
        for part in message.parts:
            if part.type == "text" and part.text and not part.flags & _SKIPPED:
                yield part.text[:READ_CHARS]


def _joined(said: Sequence[str]) -> str:
    """Return the first sentence with those after it, up to 240 characters."""
    text = said[0]
    for sentence in said[1:]:
        if len(text) + len(sentence) >= MAX_CHARS:
            break
        text = f"{text} {sentence}"
    return text


def _shared(words: Collection[str], sentence: str) -> int:
    folded = fold(sentence)
    return sum(1 for word in words if word in folded)

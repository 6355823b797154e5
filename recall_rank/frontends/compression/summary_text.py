"""The text of MIDDLE: durable findings by kind, on lines that the next compression reads again, and prose of a model.

A finding is a sentence that somebody said, word for word: a decision, a constraint, a root cause, pending work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from recall_rank.analysis.compaction_notes import compaction_notes
from recall_rank.corpus import rank
from recall_rank.frontends.compression.conversation import SUMMARY_LABEL, Count, SizedMessage
from recall_rank.frontends.display_text import counted, escaped, one_line, unsafe_in_lines
from recall_rank.frontends.redaction.redact import redacted
from recall_rank.model import Message, Part, Session
from recall_rank.search.options import MAX_RESULTS

HEADINGS: Final = {
    "decision": "Decisions:",
    "constraint": "Constraints:",
    "root cause": "Root causes:",
    "open task": "Pending work:",
}
PROSE_HEADING: Final = "Summary by "
_NOTICE: Final = "Earlier messages were replaced by this record of what was said. Details are missing."
_QUOTE: Final = "> "
_ITEM: Final = "- "
_CUT: Final = " [...]"
_CARRIED_WORTH: Final = {"root cause": 0.75, "decision": 0.9, "constraint": 0.8, "open task": 0.7}
_DECISIONS_SHARE: Final = 0.75  # of the room for findings, before others had theirs


@dataclass(frozen=True, slots=True)
class DurableFinding:
    """A sentence to keep, of one of the kinds in HEADINGS; `place` orders findings by when they were said."""

    kind: str
    text: str
    worth: float
    place: int


@dataclass(frozen=True, slots=True)
class Prose:
    """A summary in prose, and the name of the model that wrote it, "" when it is not known."""

    text: str
    author: str


def findings_of(middle: Sequence[SizedMessage], summaries: Sequence[SizedMessage]) -> list[DurableFinding]:
    """Return the findings in messages, and those that former summaries carry, in the order in which they were said.

    Of equal ones the newest stays. Secrets in them are replaced.
    """
    records = (replace(each.record, id=str(at)) for at, each in enumerate(middle))
    notes = compaction_notes(Session("middle", tuple(records)))
    new = [DurableFinding(note.kind, one_line(redacted(note.text)), note.worth, int(note.message_id)) for note in notes]
    carried = [each for summary in summaries for each in former_findings(summary.text)]
    placed = [replace(each, place=at - len(carried)) for at, each in enumerate(carried)]
    found = {each.text.casefold(): each for each in (*placed, *sorted(new, key=lambda each: each.place))}
    return sorted(found.values(), key=lambda each: each.place)


def former_findings(text: str) -> Iterator[DurableFinding]:
    """Yield the findings in the text of a former summary; a summary that has not our form has none."""
    kinds = {heading: kind for kind, heading in HEADINGS.items()}
    kind = None
    for line in text.split("\n") if text.startswith(SUMMARY_LABEL) else ():
        if line.startswith(_ITEM):
            if kind:
                yield DurableFinding(kind, line.removeprefix(_ITEM), _CARRIED_WORTH[kind], 0)
        else:
            kind = kinds.get(line)


def former_prose(summaries: Sequence[SizedMessage]) -> Prose | None:
    """Return the prose of former summaries, with the name of its author; a summary of another form is all prose."""
    texts: list[str] = []
    author = ""
    for text in (each.text for each in summaries):
        if not text.startswith(SUMMARY_LABEL):
            texts.append(text)
            continue
        for line in text.split("\n"):
            if line.startswith(PROSE_HEADING):
                author = line.removeprefix(PROSE_HEADING).rstrip(":")
            elif line.startswith(_QUOTE):
                texts.append(line.removeprefix(_QUOTE))
    return Prose("\n".join(texts), author) if texts else None


def ranked_by_focus(findings: Sequence[DurableFinding], focus: str | None) -> list[DurableFinding]:
    """Return the findings that a focus matches, best first by the search engine; empty without a focus."""
    if not focus or not focus.strip() or not findings:
        return []
    sessions = [
        Session(str(at), (Message("m", "user", 0, (Part("p", "text", each.text),)),))
        for at, each in enumerate(findings)
    ]
    response = rank(focus, sessions, match="smart", results=min(len(sessions), MAX_RESULTS), group="session")
    return [findings[int(hit.session_id)] for hit in response.results]


def summary_text(
    findings: Sequence[DurableFinding],
    *,
    prose: Prose | None,
    first: Sequence[DurableFinding],
    tokens: int,
    count: Count,
) -> tuple[str, int]:
    """Return the text of MIDDLE, of at most `tokens` tokens, and how many findings it lacks for want of room.

    Findings of `first` come before all others. Decisions take up to three quarters of the room, newest first, then
    other findings take theirs by worth, then the other decisions. Prose takes a quarter where there are other findings
    than decisions, else half, and more where findings leave it.
    """
    only_decisions = all(each.kind == "decision" for each in findings)
    share = 0.5 if only_decisions else 0.75
    room = int(tokens * (share if prose else 1)) - count("\n".join((SUMMARY_LABEL, _NOTICE, *HEADINGS.values()))) - 20
    kept = _within(findings, first, room, count)
    while True:
        lines = list(_lines(kept, len(findings) - len(kept)))
        if prose:
            head = f"{PROSE_HEADING}{one_line(prose.author)[:80] or 'an unnamed model'}:"
            left = tokens - count("\n".join([*lines, head])) - 2
            quoted = _quoted(prose.text, left, count)
            lines += [head, *quoted] if quoted else []
        text = "\n".join(lines)
        if count(text) <= tokens or not kept:
            return text, len(findings) - len(kept)
        kept = kept[1:]  # an estimate that counts lines for less than their text


def _within(
    findings: Sequence[DurableFinding], first: Sequence[DurableFinding], room: int, count: Count
) -> list[DurableFinding]:
    """Return the findings that have room, in the order in which they were said."""
    wanted = {id(each): at for at, each in enumerate(first)}
    decisions = [each for each in findings if each.kind == "decision"]
    others = [each for each in findings if each.kind != "decision"]
    decisions.sort(key=lambda each: (wanted.get(id(each), len(wanted)), -each.place))
    others.sort(key=lambda each: (wanted.get(id(each), len(wanted)), -each.worth, -each.place))
    kept: list[DurableFinding] = []
    used = 0
    for group, limit in ((decisions, int(_DECISIONS_SHARE * room)), (others, room), (decisions, room)):
        for each in group:
            cost = count(_ITEM + each.text) + 1
            if used + cost <= limit and not any(each is one for one in kept):
                kept.append(each)
                used += cost
    return sorted(kept, key=lambda each: each.place)


def _lines(findings: Sequence[DurableFinding], missing: int) -> Iterator[str]:
    yield SUMMARY_LABEL
    yield _NOTICE
    for kind, heading in HEADINGS.items():
        told = [each.text for each in findings if each.kind == kind]
        if told:
            yield heading
            yield from (_ITEM + text for text in told)
    if missing:
        yield f"({counted(missing, 'more finding', 'more findings')} had no room.)"


def _quoted(text: str, tokens: int, count: Count) -> list[str]:
    """Return a text as quoted lines of at most `tokens` tokens, so that no line of it can pass for one of ours."""
    plain = redacted(unsafe_in_lines().sub(escaped, text.replace("\r\n", "\n"))).strip()
    lines = _as_quote(plain)
    while plain and count("\n".join(lines)) > tokens:
        most = min(len(plain) - 1, int(len(plain) * tokens / count("\n".join(lines))) - len(_CUT))
        plain = plain[: max(0, most)].rstrip()
        lines = _as_quote(plain + _CUT)
    return lines if plain else []


def _as_quote(text: str) -> list[str]:
    return [_QUOTE + line for line in _filled(text.split("\n"))]


def _filled(lines: Iterable[str]) -> Iterator[str]:
    return (line.rstrip() for line in lines if line.strip())

"""Choose what a text block cites for each hit, and in which order: what settled something comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from recall_rank.analysis.normalize import fold
from recall_rank.analysis.stemming import stem
from recall_rank.analysis.utterance_kind import is_question
from recall_rank.frontends.hooks.answers import Answer, answer_to
from recall_rank.model import Flag

if TYPE_CHECKING:
    from recall_rank.model import Context, Result, Session

MIN_TERM_SHARE: Final = 0.5  # of the query's terms: answers contain more of them, other hits fewer
_SETTLED, _ANSWERED, _HIT, _UNANSWERED = range(4)  # the ranks of cited hits

Sessions = Mapping[tuple[str, str], "Session"]
"""Sessions with their messages, by the names of their histories and by their ids."""


@dataclass(frozen=True, slots=True)
class CitedHit:
    """A hit with the text and the message that a block cites for it."""

    hit: Result
    text: str
    message_id: str
    rank: int  # those with a lower rank come first


def telling_hits(results: Sequence[Result], terms: int) -> list[Result]:
    """Return the hits that a text block may cite: those that contain at least half of the query's terms, of which there
    are `terms`. A hit of low confidence must contain as many as the best hit. Text that the agent's program inserted is
    left out.
    """
    shares = [len(hit.matched_terms) for hit in results]
    return [
        hit
        for hit, share in zip(results, shares, strict=True)
        if hit.role != "system"
        and not hit.flags & Flag.SYNTHETIC
        and share >= terms * MIN_TERM_SHARE
        and (share >= shares[0] or hit.why.confidence != "low")
    ]


def cited_hits(
    hits: Sequence[Result], sessions: Sessions, message: str, context: Context | None, clean: Callable[[str], str]
) -> list[CitedHit]:
    """Return what a text block cites for `hits`, which are in order of relevance: first what settled something, then
    other answers, then hits without an answer, last questions that were never answered.

    Hits of low confidence behind the first are cited only when they have an answer and no other hit has one. `message`
    is the user's message for which the hits were found, and `clean` makes recalled text fit to be shown.
    """
    cited: list[CitedHit] = []
    for hit in hits:
        session = sessions.get((hit.history, hit.session_id))
        matched = {stem(fold(term)) for term in hit.matched_terms}
        answer = None if session is None else answer_to(session, hit.message_id, matched, context, clean)
        each = _cited(hit, answer, message)
        if each is not None:
            cited.append(each)
    kept = [each for each in cited if each.hit is hits[0] or each.hit.why.confidence != "low"]
    if not any(each.rank <= _ANSWERED for each in kept):
        kept += [each for each in cited if each.rank <= _ANSWERED]
    return sorted(kept, key=lambda each: each.rank)  # stable


def _cited(hit: Result, answer: Answer | None, message: str) -> CitedHit | None:
    """Return what a block cites for a hit: its answer, if there is one, else its snippet.

    None for an unanswered message with the text of `message`, which tells nothing new.
    """
    if answer is not None and answer.settles:
        return CitedHit(hit, answer.text, answer.message_id, _SETTLED)
    if answer is not None:
        what = "asked" if hit.role == "user" else "after"
        return CitedHit(hit, f"{answer.text} ({what}: {hit.snippet})", answer.message_id, _ANSWERED)
    if hit.role == "user" and fold(hit.snippet).strip() == fold(message).strip():
        return None
    asks = hit.role == "user" and is_question(hit.snippet.encode())
    return CitedHit(hit, hit.snippet, hit.message_id, _UNANSWERED if asks else _HIT)

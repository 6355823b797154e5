"""Fold titles: many hosts name a session by the first words of its user, which then match a query twice."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank._core.rank.candidate import Candidate
from recall_rank.analysis.normalize import fold
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.segment import ROLES, TITLE_ROLE
from recall_rank.model import Flag

_USER = ROLES.index("user")
_CUT = ("\u2026", "...")  # at the end of a title, for the words that were left out
_SPARE = 1024  # bytes of a message beyond those of the title that are compared: it may have more blanks


def fold_titles(reader: IndexReader, ranked: Sequence[Candidate]) -> tuple[list[Candidate], set[int]]:
    """Return (kept, titled): the candidates without titles that were made from a message among them, and the parts of
    these messages. Such a message stands at the place of its title when that ranks better.

    A title was made from the first message of the user in its session when it is the beginning of that message.
    """
    sessions = reader.sessions_of([candidate.part for candidate in ranked])
    titles: dict[int, int] = {}
    others: dict[int, list[int]] = {}
    for at, (candidate, session) in enumerate(zip(ranked, sessions, strict=True)):
        if reader.message_role[reader.part_message[candidate.part]] == TITLE_ROLE:
            titles[session] = at
        else:
            others.setdefault(session, []).append(at)
    kept: list[Candidate | None] = list(ranked)
    titled: set[int] = set()
    for session, title in titles.items():
        source = next((at for at in others.get(session, ()) if _is_source(reader, ranked[at])), None)
        if source is None:
            continue
        titled.add(ranked[source].part)
        if title < source:
            ranked[source].take_rank_of(ranked[title])
            kept[title], kept[source] = ranked[source], None
        else:
            kept[title] = None
    return [candidate for candidate in kept if candidate is not None], titled


def _is_source(reader: IndexReader, candidate: Candidate) -> bool:
    """Return whether a part is in the first message that the user wrote in its session, and begins with its title."""
    view, part, _ = reader.local(candidate.part, candidate.doc)
    segment = view.segment
    message = segment.part_message[part]
    row = segment.sessions[segment.message_session[message]]
    parts, roles, flags = segment.message_first_part, segment.message_role, segment.rows("part_flags")
    for earlier in range(row.first_message + 1, message):
        if roles[earlier] == _USER and not flags[parts[earlier]] & Flag.SYNTHETIC:
            return False
    if roles[message] != _USER or flags[part] & Flag.SYNTHETIC:
        return False
    start, end, _ = next(segment.fields_of(part))
    end = min(end, start + 4 * len(row.title) + _SPARE)
    return begins_with(bytes(segment.text_for(((start, end),))[start:end]).decode("utf-8", "replace"), row.title)


def begins_with(text: str, title: str) -> bool:
    """Return whether a title is the beginning of a text, up to a word's end or to the dots that stand for more words.
    Blanks, line ends and case make no difference.
    """
    wanted, said = " ".join(fold(title).split()), " ".join(fold(text).split())
    cut = wanted.endswith(_CUT)
    for dots in _CUT:
        wanted = wanted.removesuffix(dots)
    wanted = wanted.rstrip()
    return bool(wanted) and said.startswith(wanted) and (cut or not said[len(wanted) : len(wanted) + 1].isalnum())

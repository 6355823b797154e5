"""Find a session by id, prefix or title, and read it with the sessions of its subagents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from recall_rank.analysis.normalize import fold
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_of
from recall_rank.histories.catalog import Catalog
from recall_rank.histories.chains.lineage import Lineage
from recall_rank.histories.transcript import AmbiguousSession, UnknownSession, find_by_id, names
from recall_rank.model import Session
from recall_rank.model.agent_names import named_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from recall_rank.recall import Recall

DEPTH: Final = 8  # of subagents that call subagents


def find_session(recall: Recall, wanted: str) -> Session:
    """Return the session with this id, else the only one whose id begins so, else the only one with this title, else
    the only one whose title contains it; case is ignored in titles. It comes without its messages.

    Raises UnknownSession when there is none, and when several are equally good; the error then names them.
    """
    if not wanted.strip():
        raise UnknownSession("a session is named by its id, a beginning of it, or its title")
    return recall.look_up(lambda: _found(recall, wanted))


def _found(recall: Recall, wanted: str) -> Session:
    """Return the session that find_session() finds, without a wait for a refresh."""
    words = fold(wanted).strip()
    try:
        return find_by_id(Catalog(recall.sessions()), wanted, f"no session has an id or title like {wanted!r}")
    except UnknownSession as error:
        missing = error
    near = recall.sessions(search=wanted.strip())
    found = [session for session in near if fold(session.title or "").strip() == words] or near
    if len(found) == 1:
        return found[0]
    if not found:
        raise missing
    ids = names([session.id for session in found])
    raise AmbiguousSession(f"{len(found):,} sessions have a title with {wanted!r}: {ids}")


def read_transcript(
    recall: Recall, session: Session, *, subagents: bool = True, changed: Callable[[Session], Session] | None = None
) -> SessionTranscript:
    """Read a session and, unless `subagents` is false, the sessions of the subagents that it called, to a depth of
    DEPTH. `changed` is applied to each session that was read, such as to take secrets out of it.

    Raises LookupError and OSError as Recall.transcript does.
    """
    return _read(recall, session, Lineage(recall.sessions() if subagents else ()), changed, frozenset(), DEPTH)


def _read(
    recall: Recall,
    session: Session,
    lineage: Lineage,
    changed: Callable[[Session], Session] | None,
    above: frozenset[str],
    depth: int,
) -> SessionTranscript:
    name = named_id(session.id, session.host)
    whole = recall.transcript(name)
    above = above | {name}
    own = lineage.subagents(session) if depth else []
    inner = [
        _read(recall, each, lineage, changed, above, depth - 1)
        for each in own
        if named_id(each.id, each.host) not in above
    ]
    return transcript_of(whole if changed is None else changed(whole), inner, recall.unread(name))

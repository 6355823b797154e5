"""Read the chain of a session from the histories: the tree from the list of sessions, its figures from their stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recall_rank.histories.backend import Inventory
from recall_rank.histories.chains.figures import SessionFigures, figures_of
from recall_rank.histories.chains.lineage import Chain, chain_of
from recall_rank.loaders.read_all import failure_reason
from recall_rank.model import Session


def read_chain(inventory: Inventory, wanted: str, limit: int) -> Chain:
    """Return the chain of the session that `wanted` names (see chain_of), with the figures of every shown session.

    The messages of the shown sessions are read from their stores, together. Messages that a session copied from another
    one of them are counted once. A session that cannot be read has the figures that are recorded for the whole session,
    and a note says so.
    """
    chain = chain_of(inventory.catalog.sessions, wanted, limit=limit)
    read = _with_messages(inventory, [node.session for node in chain.nodes])
    notes = list(chain.notes)
    nodes = []
    for node, found in zip(chain.nodes, read, strict=True):
        figures: SessionFigures = node.figures
        if isinstance(found, Session):
            figures = figures_of(found)
        elif isinstance(found, Exception):
            notes.append(f"session {node.session.id} cannot be read: {failure_reason(found)}")
        else:
            notes.append(f"session {node.session.id} is no longer in its source")
        nodes.append(replace(node, figures=figures))
    return replace(chain, nodes=tuple(nodes), notes=tuple(notes))


def _with_messages(inventory: Inventory, sessions: Sequence[Session]) -> list[Session | Exception | None]:
    """Return each session with the messages that count as its own, the error of reading it, or None when it is gone."""
    loaded = [inventory.loaded(session) for session in sessions]
    if all(session is not None for session in loaded):
        return list(loaded)
    found = inventory.units.read_counted(sessions)
    if inventory.stored is None:
        return found
    return [one if one is not None else inventory.stored(session) for one, session in zip(found, sessions, strict=True)]

"""LiveSegments: the segments of an index whose sessions are added, appended to and removed while it is searched."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from recall_rank.index.live.growing_session import GrowingSession
from recall_rank.index.merge.choose import to_merge
from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.index.segment.segment import Segment, SessionRow
from recall_rank.index.segment.stored_sessions import stored_session
from recall_rank.index.storage.manifest import ListedFile
from recall_rank.model import Message, Session
from recall_rank.model.record_classes import mutable

MOST_GROWING: Final = 8  # sessions that keep what their segment is built from; a search reads a segment for each
MOST_SETTLED: Final = 8  # other segments in memory, before the smaller ones are merged
MOST_SAVED: Final = 8  # segments of a generation on disk
FEW: Final = 300  # messages up to which segments are built anew rather than merged
WORN: Final = 1000  # deleted messages from which on a segment is rewritten, if they are more than a third of it


@mutable(eq=False)
class LiveSegment:
    """A segment with its deleted sessions, and the file that holds it."""

    segment: Segment
    dead: frozenset[int] = frozenset()  # a new set for every change: readers hold the old one
    dead_messages: int = 0
    file: ListedFile | None = None  # None for a segment in memory

    @property
    def size(self) -> int:
        """The number of messages of sessions that are not deleted."""
        return self.segment.messages_without_titles - self.dead_messages

    @property
    def is_empty(self) -> bool:
        """Whether all sessions are deleted."""
        return len(self.dead) == len(self.segment.sessions)

    @property
    def is_worn(self) -> bool:
        """Whether enough is deleted that the segment is worth rewriting."""
        return self.dead_messages >= WORN and self.dead_messages * 3 > self.segment.messages_without_titles

    def delete(self, rows: Collection[int]) -> None:
        """Mark sessions as deleted that are not yet. Copies the set of all that are: one call for many rows."""
        self.dead = self.dead.union(rows)
        self.dead_messages += sum(_said(self.segment.sessions[row]) for row in rows)


class LiveSegments:
    """The segments of a changing index. A change makes new segments; those that a reader holds stay as they are.

    A session lies in one segment, because its messages are evidence for each other. When it is appended to, it moves to
    a segment of its own, and its old row is marked as deleted. That segment is built from columns which are kept, so
    the next append tokenises only its own messages. Only the sessions appended to last keep theirs. All others in
    memory are merged in tiers, so that a text is copied a logarithmic number of times, and at most about twenty
    segments are searched. Statistics are those of live documents at query time, so answers are those of a rebuilt
    index.

    Used by one thread at a time. A method that raises has changed nothing.
    """

    def __init__(
        self, segments: Sequence[Segment], dead: Sequence[Collection[int]], files: Sequence[ListedFile | None]
    ) -> None:
        self._settled: list[LiveSegment] = []
        self._growing: dict[str, GrowingSession] = {}  # by session id, the one appended to last at the end
        self._homes: dict[str, list[tuple[LiveSegment, int]]] = {}  # segment and row of the sessions of each id
        self.changed = False  # whether the sessions are others than those that this was made from
        for segment, rows, file in zip(segments, dead, files, strict=True):
            gone = sum(_said(segment.sessions[row]) for row in rows)
            home = LiveSegment(segment, frozenset(rows), gone, file)
            self._settle(home)

    def reader(self, before: IndexReader) -> IndexReader:
        """Return a reader of the sessions as they are now, which shares what the reader `before` has cached."""
        lives = self._all() or [LiveSegment(build(()))]
        return IndexReader([live.segment for live in lives], [live.dead for live in lives], before)

    def add(self, sessions: Sequence[Session]) -> None:
        """Add sessions. Raises ValueError for an id that the index has, or that comes twice."""
        seen: set[str] = set()
        for session in sessions:
            if session.id in self._homes:
                raise ValueError(
                    f"session {session.id!r} is in the index already; append() adds messages to it, remove() removes it"
                )
            if session.id in seen:
                raise ValueError(f"session {session.id!r} is given twice")
            seen.add(session.id)
        if sessions:
            added = LiveSegment(build(sessions))
            self._merge_small()
            self._settle(added)
            self.changed = True

    def append(self, session_id: str, values: Sequence[Message | Mapping[str, Any]]) -> None:
        """Add messages to the end of a session.

        Raises ValueError when the index has no session of this id, or several, and for a message whose id the session
        has already; TypeError or ValueError for an invalid message.
        """
        self._merge_small()
        live, row = self._home(session_id)
        session = self._growing.get(session_id) or GrowingSession(live.segment, row)
        messages = session.read(values)
        if not messages:
            return
        grows = self._growing.pop(session_id, None) is not None
        try:
            segment = session.append(messages)
        except BaseException:
            if grows:
                self._settled.append(live)
            raise
        if grows:
            live.segment = segment
        else:
            self._delete(live, (row,))
            self._homes[session_id] = [(LiveSegment(segment), 0)]
        self._growing[session_id] = session
        self.changed = True
        if len(self._growing) > MOST_GROWING:
            oldest = next(iter(self._growing))
            self._settled.append(self._own_segment(oldest))
            del self._growing[oldest]

    def remove(self, ids: Collection[str]) -> None:
        """Remove the sessions of these ids. Raises ValueError for an id that the index does not have."""
        for session_id in ids:
            if session_id not in self._homes:
                raise _unknown(session_id)
        self._merge_small()
        self.changed |= bool(ids)
        gone: dict[LiveSegment, list[int]] = {}
        for session_id in ids:
            self._growing.pop(session_id, None)
            for live, row in self._homes.pop(session_id):
                gone.setdefault(live, []).append(row)
        for live, rows in gone.items():
            self._delete(live, rows)

    def to_save(self) -> tuple[list[ListedFile], list[Segment]]:
        """Return what the next generation on disk consists of: files that stay, and new segments to be written.

        Files in which a session is deleted do not stay, so that no removed text remains on the disk.
        """
        lives = self._all()
        changed = [at for at, live in enumerate(lives) if live.file is None or live.dead]
        chosen = to_merge([live.size for live in lives], changed, MOST_SAVED)
        kept = [live.file for at, live in enumerate(lives) if at not in chosen and live.file is not None]
        together = [lives[at] for at in chosen]
        if together or not kept:
            return kept, [_merged(together)]
        return kept, []

    def _all(self) -> list[LiveSegment]:
        """Return all segments, those of growing sessions last."""
        return [*self._settled, *map(self._own_segment, self._growing)]

    def _own_segment(self, session_id: str) -> LiveSegment:
        """Return the segment of a growing session."""
        return self._homes[session_id][0][0]

    def _home(self, session_id: str) -> tuple[LiveSegment, int]:
        found = self._homes.get(session_id)
        if found is None:
            raise _unknown(session_id)
        if len(found) > 1:
            sources = ", ".join(repr(live.segment.sessions[row].source) for live, row in found)
            raise ValueError(f"{len(found)} sessions have the id {session_id!r}, from the sources {sources}")
        return found[0]

    def _settle(self, live: LiveSegment) -> None:
        """Take a new segment, and note where its sessions are."""
        self._settled.append(live)
        for row, session in enumerate(live.segment.sessions):
            if row not in live.dead:
                self._homes.setdefault(session.id, []).append((live, row))

    def _delete(self, live: LiveSegment, rows: Collection[int]) -> None:
        live.delete(rows)
        if live.is_empty and live in self._settled:
            self._settled.remove(live)

    def _merge_small(self) -> None:
        """Merge settled segments in memory if there are many, or if much of one is deleted."""
        lives = [live for live in self._settled if live.file is None]
        worn = [at for at, live in enumerate(lives) if live.is_worn]
        if not worn and len(lives) <= MOST_SETTLED:
            return
        most = MOST_SETTLED // 2 if len(lives) > MOST_SETTLED else MOST_SETTLED
        together = [lives[at] for at in to_merge([live.size for live in lives], worn, most)]
        merged = LiveSegment(_merged(together))
        for session_id in {session.id for session in merged.segment.sessions}:
            self._homes[session_id] = [home for home in self._homes[session_id] if home[0] not in together]
        self._settled = [live for live in self._settled if live not in together]
        self._settle(merged)


def _merged(lives: Sequence[LiveSegment]) -> Segment:
    """Return one segment of the sessions that are not deleted. Few messages are indexed again: that takes less time."""
    if sum(live.size for live in lives) <= FEW:
        rows = ((live, row) for live in lives for row in range(len(live.segment.sessions)) if row not in live.dead)
        return build(stored_session(live.segment, row) for live, row in rows)
    from recall_rank.index.merge.numpy_room import require_numpy_room

    require_numpy_room()
    from recall_rank.index.merge.merge import merge

    return merge([live.segment for live in lives], [live.dead for live in lives])


def _said(row: SessionRow) -> int:
    """Return the number of messages of a session, without its title."""
    return row.last_message - row.first_message - 1


def _unknown(session_id: str) -> ValueError:
    return ValueError(f"the index has no session {session_id!r}; add() adds one")

"""The next generation of an index to which several machines push: what it holds, and whether its user can mean that.

Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.exchange.outgoing import MachineName
from recall_rank.exchange.shared_segments import (
    MachineSegments,
    SharedSegment,
    add_forgotten_copies,
    hidden_copies,
    left_out,
    live_rows,
    without_forgotten,
)
from recall_rank.histories.records.left_out import is_listed
from recall_rank.index.segment.segment import SessionRow
from recall_rank.model import ReadFailure
from recall_rank.model.record_classes import frozen, replace


@frozen
class PushReport:
    """The result of a push: how many sessions of this machine and of all are in the store now, how many of its own were
    removed, how many copies no search finds because another machine has a newer one, what was not read, which patterns
    of projects no session there has, and how many sessions stay on this machine because of their projects.
    """

    sessions: int
    machines: int  # that have sessions there
    all_sessions: int
    removed: int
    copies: int
    written: int  # segments
    changed: bool  # whether a new generation was published
    failures: tuple[ReadFailure, ...] = ()
    malformed: int = 0
    unmatched: tuple[str, ...] = ()
    staying: int = 0


@frozen
class NextGeneration:
    """A generation of which nothing is written yet, and the report of the push that publishes it."""

    machines: list[MachineSegments]
    dead: list[frozenset[int]]  # the rows of each segment that no search finds
    report: PushReport


def next_generation(
    before: Sequence[MachineSegments],
    machine: MachineName,
    own: Sequence[SharedSegment] | None,
    forgotten: frozenset[str],
) -> NextGeneration:
    """Return the generation that is to follow one with the machines `before`.

    `own` are the segments of `machine` from now on, None to withdraw it, and `forgotten` the digests of what was
    forgotten there.
    """
    after = _machines_after(before, machine, own, forgotten)
    shared = [one for each in after for one in each.segments]
    hidden = hidden_copies(after)
    dead = [one.dead | rows for one, rows in zip(shared, hidden, strict=True)]
    mine, mine_before = (_own_sessions(each, machine) for each in (after, before))
    report = PushReport(
        sessions=len(mine),
        machines=sum(any(len(one.segment.sessions) > len(one.dead) for one in each.segments) for each in after),
        all_sessions=sum(len(one.segment.sessions) - len(rows) for one, rows in zip(shared, dead, strict=True)),
        removed=len(mine_before.keys() - mine.keys()),
        copies=sum(len(rows - one.dead) for one, rows in zip(shared, hidden, strict=True)),
        written=sum(one.listed is None for one in shared),
        changed=_told(before) != _told(after),
    )
    return NextGeneration(after, dead, report)


def _machines_after(
    before: Sequence[MachineSegments],
    machine: MachineName,
    own: Sequence[SharedSegment] | None,
    forgotten: frozenset[str],
) -> list[MachineSegments]:
    """Return the machines of the next generation, without sessions that were forgotten anywhere."""
    machines = [replace(each) for each in before if each.name != machine]
    mine = [each for each in before if each.name == machine]
    if own is None:
        # what was forgotten stays so: the others must not push it again
        machines += [replace(each, segments=[]) for each in mine if each.forgotten]
    else:
        # the number of sessions is compared, too, lest a wrong table lead to deleted rows that are not there
        there = {(one.content, len(one.segment.sessions)): one.listed for each in mine for one in each.segments}
        segments = [replace(one, listed=there.get((one.content, len(one.segment.sessions)))) for one in own]
        copies = frozenset(pair for each in mine for pair in each.copies)
        machines.append(MachineSegments(machine.host, machine.user, 0, forgotten, segments, copies))
        machines.sort(key=lambda each: (each.host, each.user))
    # the generation before may have the only segment in which what this machine forgot is beside its copies
    add_forgotten_copies(machines, [one for each in before for one in each.segments] + list(own or ()))
    gone = left_out(machines)
    for each in machines:
        each.segments = without_forgotten(each.segments, gone)
    return machines


def check_withdrawal(url: str, machine: MachineName, before: Sequence[MachineSegments]) -> None:
    """Raise LookupError when nothing is there that a machine has pushed."""
    if not any(each.segments for each in before if each.name == machine):
        there = ", ".join(f"{each.user}@{each.host}" for each in before if each.segments) or "nobody"
        raise LookupError(f"{machine} has pushed nothing to {url}: {there} has")


def check_push(
    url: str, machine: MachineName, before: Sequence[MachineSegments], after: Sequence[MachineSegments]
) -> None:
    """Raise ValueError when a machine has no session to push and has pushed none: a pattern may have a slip; and when
    none of its sessions would be left, although not all were forgotten: a history that is out of reach must not remove
    everything.

    A machine whose sessions may all have been forgotten is let pass.
    """
    mine, mine_before = (_own_sessions(each, machine) for each in (after, before))
    if not mine and not mine_before and not any(each.forgotten for each in after):
        raise ValueError("no session is of a project that may leave this machine: nothing was pushed")
    gone = left_out(after)
    lost = [row for row in mine_before.values() if not is_listed(row, gone)]
    if lost and not mine:
        what = "the session" if len(lost) == 1 else f"the {len(lost):,} sessions"
        left = f"nothing would be left of {what} that {machine} has pushed to {url}"
        raise ValueError(f"{left}: withdraw them if they are to go")


def _own_sessions(
    machines: Sequence[MachineSegments], machine: MachineName
) -> dict[tuple[str | None, str], SessionRow]:
    """Return the sessions of a machine that are not deleted, by agent and id."""
    rows = (row for each in machines if each.name == machine for row in live_rows(each.segments))
    return {(row.agent, row.id): row for row in rows}


def _told(machines: Sequence[MachineSegments]) -> list[tuple[object, ...]]:
    """Return what tells two generations apart, beside the times of pushes."""
    return [
        (each.host, each.user, each.forgotten, each.copies, *((one.listed, one.dead) for one in each.segments))
        for each in machines
    ]

"""Invented recalled turns for curators: a boat yard's bookings, each turn with a fact of its own."""

from __future__ import annotations

from dataclasses import replace

from recall_rank.frontends.curators.curator import CurationTask, RecalledTurn

FACT = "The slipway cradle must be booked under the winch number, because two boats can share a berth."


def turn(number: int, words: str = "", **changed: str) -> RecalledTurn:
    """Return one turn; `words` are added to the assistant's text."""
    said = f"User: How is berth {number} booked?\n\nAssistant: Through the ledger of pier {number}. {words}"
    plain = RecalledTurn(
        project="boatyard",
        date=f"2026-03-{number % 28 + 1:02d}",
        topic=f"Bookings, part {number}",
        before=f"User: Please list the open bookings of pier {number}.",
        matched=said.strip(),
        after="User: Thanks, that is all.",
        session_id=f"yard-{number}",
        message_id=f"m{number}",
    )
    return replace(plain, **changed)


def task(*turns: RecalledTurn) -> CurationTask:
    """Return a task over turns, by default over three of which the second has FACT."""
    return CurationTask(
        "slipway cradle booking", "why the cradle is booked by winch", turns or (turn(1), turn(2, FACT), turn(3))
    )


def long_task(count: int = 9, chars: int = 20_000) -> CurationTask:
    """Return a task over turns that are longer than a prompt may be."""
    return task(
        *(
            turn(number, f"Note {number}: the pier is closed on day {number}.\n" * (chars // 45))
            for number in range(count)
        )
    )

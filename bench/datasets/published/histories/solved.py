"""Questions for the place where a matter was solved, decided or explained, labelled by reading the histories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bench.datasets.history_files import read_queries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bench.datasets.history_files import LabelledQuery
    from recall_rank.model import Session

FILE = Path(__file__).parent / "solved.jsonl"


def solved_questions(sessions: Iterable[Session], path: Path = FILE) -> list[LabelledQuery]:
    """Return the questions of a file that the sessions answer, with the answers that they hold.

    Their kinds are solved_tune, on which a ranking may be developed, and solved_check, which only judges it. Answers
    are equally good places and copies of them; the question itself and a later mention are no answers.
    """
    held = {(session.id, message.id, part.id) for session in sessions for message in session.messages
            for part in message.parts}  # fmt: skip
    found = []
    for question in read_queries(path):
        answers = [answer for answer in question.relevant if answer in held]
        if answers:
            among = frozenset(session for session, _, _ in answers)
            found.append(replace(question, relevant=answers, relevant_sessions=among))
    return found

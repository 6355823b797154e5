"""Curators for tests: one that returns what it is told, and a machine on which none can be had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from recall_rank.frontends.curators.choose import VARIABLE
from recall_rank.frontends.curators.curator import CurationTask


class Told:
    """Returns a given text, or raises a given error, and keeps the tasks it was given."""

    name = "told"

    def __init__(self, answer: str | Exception | Callable[[CurationTask], str]) -> None:
        self.answer = answer
        self.tasks: list[CurationTask] = []

    def curate(self, task: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        self.tasks.append(task)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if isinstance(self.answer, str) else self.answer(task)


def without_curators(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let no curator be set, and no model have a key."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("LLM_USER_PATH", str(folder / "llm"))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "LLM_GEMINI_KEY", "MISTRAL_API_KEY"):
        monkeypatch.delenv(name, raising=False)

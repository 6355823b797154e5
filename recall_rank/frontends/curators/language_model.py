"""LanguageModel: the protocol of everything that answers a prompt with text, and the curator that asks one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from recall_rank.frontends.curators.curator import CurationTask
from recall_rank.frontends.curators.prompt import curation_prompt


class LanguageModel(Protocol):
    """Answers a prompt of two texts: instructions, and a text with recalled passages fenced as data."""

    @property
    def name(self) -> str:
        """The name that an answer shows, such as "llm claude-haiku-4-5" or "command my-agent"."""
        ...

    def answer(self, system: str, text: str, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the answer to the instructions `system` and the `text`, at most `seconds` after the call.

        `cancelled` is asked several times a second. Raises CuratorError when there is no answer, its subclasses when
        time has run out, the call was cancelled or the model cannot be had. No error repeats the text.
        """
        ...


class ModelCurator:
    """Asks a language model for each task, with the prompt of curation_prompt()."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    def curate(self, task: CurationTask, *, seconds: float, cancelled: Callable[[], bool]) -> str:
        """Return the answer of the model to the prompt of a task. Raises what the model raises."""
        prompt = curation_prompt(task)
        return self._model.answer(prompt.system, prompt.user, seconds=seconds, cancelled=cancelled)

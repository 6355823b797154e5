"""Curators that ask a command or a model of `llm`, made as in one step."""

from __future__ import annotations

from collections.abc import Sequence

from recall_rank.frontends.curators.command import CommandModel
from recall_rank.frontends.curators.language_model import ModelCurator
from recall_rank.frontends.curators.llm_library import LlmModel


def command_curator(argv: Sequence[str], *, name: str | None = None) -> ModelCurator:
    """Return the curator that runs a command."""
    return ModelCurator(CommandModel(argv, name=name))


def llm_curator(model: str | None = None) -> ModelCurator:
    """Return the curator that asks a model of `llm`."""
    return ModelCurator(LlmModel(model))

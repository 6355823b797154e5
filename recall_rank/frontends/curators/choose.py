"""Choose a curator: the one that is named, the one that a setting names, or the first that can be had."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Final

from recall_rank.frontends.curators.command import CURATING, CommandModel
from recall_rank.frontends.curators.curator import Curator, NoCuratorError
from recall_rank.frontends.curators.extractive import EXTRACTIVE, ExtractiveCurator
from recall_rank.frontends.curators.language_model import LanguageModel, ModelCurator
from recall_rank.frontends.curators.llm_library import LlmModel
from recall_rank.frontends.curators.sampling import SAMPLING
from recall_rank.frontends.display_text import one_line
from recall_rank.model.nearest_names import did_you_mean

VARIABLE: Final = "RECALL_RANK_CURATOR"
LLM: Final = "llm"
COMMAND: Final = "command"
FORMS: Final = "command:PROGRAM ARGUMENTS, llm, llm:MODEL"


def curator_named(
    name: str | None, *, sampling: Curator | None = None, environ: Mapping[str, str] | None = None
) -> Curator:
    """Return the curator of a name: "extractive", "sampling", "llm", "llm:MODEL" or "command:" and a command line.

    For None and for a blank name, return the one that the environment variable RECALL_RANK_CURATOR names; where it is
    not set, `sampling`, the model of the host; where that is None, a model of the package `llm` whose key `llm` itself
    has stored: a key in the environment is there for other programs. Never the extractive one. `sampling` is None where
    the host does not offer its model. Raises NoCuratorError, whose message says how to set a curator, when the one that
    is named is not known or cannot be had, and when there is none.
    """
    environ = os.environ if environ is None else environ
    if environ.get(CURATING):
        raise NoCuratorError("a curator is running this program: it cannot ask for a curator in turn")
    if name and name.strip():
        return _of_name(name.strip(), "", sampling, environ)
    configured = environ.get(VARIABLE, "").strip()
    if configured:
        return _of_name(configured, f" ({VARIABLE})", sampling, environ)
    if sampling is not None:
        return sampling
    try:
        return ModelCurator(LlmModel(environ=environ, stored_keys_only=True))
    except NoCuratorError as error:
        advice = how_to_set(sampling)
        raise NoCuratorError(f"no curator is set and the host offers no model; {error}; {advice}") from error


def how_to_set(sampling: Curator | None) -> str:
    """Return how to set a curator; `sampling` is proposed only where the host offers its model."""
    forms = f"{FORMS}, {SAMPLING}" if sampling is not None else FORMS
    return (
        f"set {VARIABLE} or name a curator: {forms} or {EXTRACTIVE}; "
        f"{EXTRACTIVE} quotes the best matching passages without a model"
    )


def _of_name(name: str, where: str, sampling: Curator | None, environ: Mapping[str, str]) -> Curator:
    """Return the curator of a name that is not blank; `where` says in errors which setting has the name."""
    kind, colon, rest = name.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    model = model_of_name(name, where, how_to_set(sampling), environ)
    if model is not None:
        return ModelCurator(model)
    if kind == EXTRACTIVE and not colon:
        return ExtractiveCurator()
    if kind == SAMPLING and not colon:
        if sampling is None:
            raise NoCuratorError(f"the host offers no model for sampling{where}: {how_to_set(sampling)}")
        return sampling
    shown = one_line(name)[:60]
    near = did_you_mean(kind, (COMMAND, LLM, SAMPLING, EXTRACTIVE))
    raise NoCuratorError(f"there is no curator '{shown}'{where}; {near + ' ' if near else ''}{how_to_set(sampling)}")


def model_of_name(name: str, where: str, advice: str, environ: Mapping[str, str]) -> LanguageModel | None:
    """Return the model of "command:" with a command line, "llm" or "llm:MODEL"; None for a name of another form.

    `where` says in errors which setting has the name, `advice` ends an error on a form that is not complete. Raises
    NoCuratorError for a command that cannot be read and a model that cannot be had.
    """
    kind, colon, rest = name.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if kind == COMMAND and colon:
        return CommandModel(_words(rest, where, advice), environ=environ)
    if kind == LLM and (rest or not colon):
        return LlmModel(rest or None, environ=environ)
    return None


def _words(line: str, where: str, advice: str) -> list[str]:
    """Return the words of a command line, read as a POSIX shell does; nothing is expanded. `advice` ends an error."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise NoCuratorError(f"the command{where} cannot be read: {error}") from error
    if not words:
        raise NoCuratorError(f"the command{where} is empty: {advice}")
    return words

"""Choose a curator: the one that is named, the one that a setting names, or the first that can be had."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Final

from recall_rank.frontends.curators.command import CURATING, CommandCurator
from recall_rank.frontends.curators.curator import Curator, NoCuratorError
from recall_rank.frontends.curators.extractive import EXTRACTIVE, ExtractiveCurator
from recall_rank.frontends.curators.llm_library import LlmCurator
from recall_rank.frontends.curators.sampling import SAMPLING
from recall_rank.frontends.display_text import one_line
from recall_rank.model.nearest_names import did_you_mean

VARIABLE: Final = "RECALL_RANK_CURATOR"
LLM: Final = "llm"
COMMAND: Final = "command"
FORMS: Final = "command:PROGRAM ARGUMENTS, llm, llm:MODEL, sampling or extractive"
HOW_TO_SET: Final = (
    f"set {VARIABLE} or name a curator: {FORMS}; extractive quotes the best matching passages without a model"
)


def curator_named(
    name: str | None, *, sampling: Curator | None = None, environ: Mapping[str, str] | None = None
) -> Curator:
    """Return the curator of a name: "extractive", "sampling", "llm", "llm:MODEL" or "command:" and a command line.

    For None and for a blank name, return the one that the environment variable RECALL_RANK_CURATOR names; where it is
    not set, `sampling`, the model of the host; where that is None, a model of the package `llm`. Never the extractive
    one. `sampling` is None where the host does not offer its model. Raises NoCuratorError, whose message says how to
    set a curator, when the one that is named is not known or cannot be had, and when there is none.
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
        return LlmCurator(environ=environ)
    except NoCuratorError as error:
        raise NoCuratorError(f"no curator is set and the host offers no model; {error}; {HOW_TO_SET}") from error


def _of_name(name: str, where: str, sampling: Curator | None, environ: Mapping[str, str]) -> Curator:
    """Return the curator of a name that is not blank; `where` says in errors which setting has the name."""
    kind, colon, rest = name.partition(":")
    kind, rest = kind.strip().lower(), rest.strip()
    if kind == COMMAND and colon:
        return CommandCurator(_words(rest, where), environ=environ)
    if kind == LLM and (rest or not colon):
        return LlmCurator(rest or None, environ=environ)
    if kind == EXTRACTIVE and not colon:
        return ExtractiveCurator()
    if kind == SAMPLING and not colon:
        if sampling is None:
            raise NoCuratorError(f"the host offers no model for sampling{where}: {HOW_TO_SET}")
        return sampling
    shown = one_line(name)[:60]
    near = did_you_mean(kind, (COMMAND, LLM, SAMPLING, EXTRACTIVE))
    raise NoCuratorError(f"there is no curator '{shown}'{where}; {near + ' ' if near else ''}{HOW_TO_SET}")


def _words(line: str, where: str) -> list[str]:
    """Return the words of a command line, read as a POSIX shell does; nothing is expanded."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise NoCuratorError(f"the curator's command{where} cannot be read: {error}") from error
    if not words:
        raise NoCuratorError(f"the curator's command{where} is empty: {HOW_TO_SET}")
    return words

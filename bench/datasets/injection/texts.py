"""The record of a labelled text that measures a scanner for prompt injections, and how modules group such records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class InjectionText:
    """A text as a file of notes may hold it, with the category of its attack or, if it is harmless, of its subject."""

    category: str
    text: str


def of_categories(texts: Mapping[str, tuple[str, ...]]) -> tuple[InjectionText, ...]:
    """Return the texts of every category as records, in the order in which they are written."""
    return tuple(InjectionText(category, text) for category, members in texts.items() for text in members)

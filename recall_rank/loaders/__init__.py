"""Loaders: each package reads the histories of one coding agent as a source of sessions. Reading never changes a
store.
"""

from __future__ import annotations

from recall_rank.loaders.builtin import Loader
from recall_rank.loaders.read_all import read_all
from recall_rank.loaders.registry import discover, open_source, open_sources
from recall_rank.model import BaseSource, Notice, ResolvedSessions

__all__ = ["BaseSource", "Loader", "Notice", "ResolvedSessions", "discover", "open_source", "open_sources", "read_all"]

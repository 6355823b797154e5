"""Loaders: they read the histories of coding agents as sources of sessions and never change them. There is one
package for each agent.
"""

from __future__ import annotations

from recall_rank.loaders.builtin import Loader
from recall_rank.loaders.read_all import read_all
from recall_rank.loaders.registry import discover, open_source, open_sources
from recall_rank.model import BaseSource, Notice, ResolvedSessions

__all__ = ["BaseSource", "Loader", "Notice", "ResolvedSessions", "discover", "open_source", "open_sources", "read_all"]

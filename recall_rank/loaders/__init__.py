"""The agents' own histories, read as sources of sessions and never changed. One loader a file; see registry."""

from __future__ import annotations

from recall_rank.loaders.builtin import Loader
from recall_rank.loaders.files.resume import continues
from recall_rank.loaders.read_all import read_all
from recall_rank.loaders.registry import discover, open_source, open_sources

__all__ = ["Loader", "continues", "discover", "open_source", "open_sources", "read_all"]

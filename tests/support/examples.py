"""How many examples a property tries that needs another number than the profile of hypothesis says."""

from __future__ import annotations

from hypothesis import settings

FEWEST = 20  # of the profile "traced"


def examples(count: int) -> settings:
    """Return settings for `count` examples, and for FEWEST at most on a traced build, which is many times slower."""
    traced = settings.default is not None and settings.default.max_examples <= FEWEST
    return settings(max_examples=min(count, FEWEST) if traced else count)

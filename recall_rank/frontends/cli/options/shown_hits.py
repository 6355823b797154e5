"""Keep the numbers of what a command shows, for later commands in this terminal."""

from __future__ import annotations

from dataclasses import replace

from recall_rank.frontends.cli.last_search import LastSearch, absolute_histories, drop_last_search, remember
from recall_rank.frontends.cli.options.cache_options import given_cache, leaves_traces
from recall_rank.frontends.cli.output.console import tell


def keep_numbers(shown: LastSearch) -> None:
    """Keep what the running command shows as the last search of this terminal. After a search of which no trace may be
    left, the one before it is forgotten, so that no number means another hit than the one on the screen.

    A problem with the file is told and does not end the command.
    """
    try:
        if leaves_traces():
            remember(replace(shown, histories=absolute_histories(shown.histories), cache=given_cache() or shown.cache))
        else:
            drop_last_search()
    except OSError as error:
        tell(f"the numbers of these hits cannot be kept for later commands: {error.strerror or error}")

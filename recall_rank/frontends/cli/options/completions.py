"""Values that a shell completes: ids, agents, tools, projects and folders, read from the index as it is on disk.

No history is read and no index is built or refreshed, so that the shell need not wait. Where there is no usable index,
there is nothing to complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import CompletionItem

from recall_rank.frontends.display_text import one_line

if TYPE_CHECKING:
    from recall_rank.histories.cache.state import CacheState
    from recall_rank.index.segment.segment import Segment, SessionRow

MOST: Final = 200  # values that are offered
DIGEST: Final = 12  # digits of the digest of a forgotten session that are shown
_TITLE: Final = 60  # characters of a title beside an id, cut after it was redacted


def complete_sessions(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the ids of sessions, newest first, each with its title."""
    rows = sorted(_rows(context), key=lambda row: -row.updated)
    return _items(((row.id, row.title) for row in rows), begun)


def complete_forgotten(context: click.Context, option: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer what `forget` takes: with --undo the digests of forgotten sessions, else the ids of sessions."""
    if not context.params.get("undo"):
        return complete_sessions(context, option, begun)
    from recall_rank.frontends.cli.options.cache_options import CacheOptions
    from recall_rank.histories.records.forgotten import forgotten_sessions

    try:
        with context:
            cache = CacheOptions.given().folder()
        found = forgotten_sessions(cache) if cache is not None else []
    except (OSError, ValueError):  # of settings or a list that cannot be read: a shell shows no errors
        return []
    return _items(((each.digest[:DIGEST], f"{each.day} {each.agent}".strip()) for each in found), begun)


def complete_commands(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the names of the commands."""
    group = context.find_root().command
    assert isinstance(group, click.Group)  # noqa: S101 - every command is one of it
    return _items(((name, "") for name in group.list_commands(context)), begun)


def complete_messages(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the ids of the messages of the session that the command line names."""
    session = str(context.params.get("session_id") or "")
    ids = (
        (segment.message_ids[number], "")
        for segment, row in _placed(context)
        if row.id == session
        for number in range(row.first_message + 1, row.last_message)
    )
    return _items(ids, begun)


def complete_tools(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the names of the tools that were called."""
    names: set[str] = set()
    for segment in _segments(context):
        values = segment.names.values
        names.update(name for number in set(segment.part_tool) if (name := values[number]))
    return _items(((name, "") for name in sorted(names)), begun)


def complete_projects(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the names of the projects, as the command `stats` shows them."""
    from recall_rank.model.project_scope import place_of, short_name

    names = {short_name(place) for row in _rows(context) if (place := place_of(row))}
    return _items(((name, "") for name in sorted(names)), begun)


def complete_agents(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the names of the agents whose sessions there are."""
    names = {row.agent or row.source for row in _rows(context)}
    return _items(((name, "") for name in sorted(names)), begun)


def complete_folders(context: click.Context, _: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the folders in which sessions ran, and the shell's own folders."""
    folders = {row.directory for row in _rows(context) if row.directory}
    return [*_items(((folder, "") for folder in sorted(folders)), begun), CompletionItem(begun, type="dir")]


def complete_histories(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Offer the names of the agents, "demo", and the shell's own files."""
    from recall_rank.loaders.builtin import LOADERS

    names = sorted({"demo", *(loader.name for loader in LOADERS)})
    return [*_items(((name, "") for name in names), begun), CompletionItem(begun, type="file")]


def complete_files(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Let the shell complete paths."""
    return [CompletionItem(begun, type="file")]


def _items(values: Iterable[tuple[str, str]], begun: str) -> list[CompletionItem]:
    """Return the values that begin as the word on the command line does, each once and with its explanation."""
    found = dict(reversed([(value, told) for value, told in _redacted(values) if value.startswith(begun)]))
    plain = ((value, told) for value, told in reversed(found.items()) if one_line(value) == value)
    return [CompletionItem(value, help=one_line(told)[:_TITLE] or None) for value, told in islice(plain, MOST)]


def _redacted(values: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    """Return the values without keys and passwords in their explanations where the settings say so, and without values
    that have some: a command would not know them by another name.
    """
    from recall_rank.histories.settings import settings

    try:
        wanted = settings().defaults.redact
    except ValueError:  # of settings that cannot be read: a shell shows no errors
        return ()
    if not wanted:
        return values
    from recall_rank.frontends.redaction.redact import redacted

    return [(value, redacted(told)) for value, told in values if redacted(value) == value]


def _rows(context: click.Context) -> Iterator[SessionRow]:
    return (row for _, row in _placed(context))


def _placed(context: click.Context) -> Iterator[tuple[Segment, SessionRow]]:
    """Yield the sessions of the index, each with its segment."""
    state = _state(context)
    for number, segment in enumerate(state.segments if state is not None else ()):
        dead = frozenset(state.dead[number]) if state is not None else frozenset()
        for row_number, row in enumerate(segment.sessions):
            if row_number not in dead:
                yield segment, row


def _segments(context: click.Context) -> Iterator[Segment]:
    state = _state(context)
    yield from state.segments if state is not None else ()


def _state(context: click.Context) -> CacheState | None:
    """Return the newest generation of the index that the options of the command line name; None where there is none
    that this user's settings allow.
    """
    from recall_rank.frontends.cli.options.cache_options import CacheOptions
    from recall_rank.histories.cache.rules import RefreshRules
    from recall_rank.histories.ignore import Ignore
    from recall_rank.histories.stored_backend import stored_state

    try:
        with context:
            chosen = CacheOptions.given()
            cache = chosen.folder()
            folder = _folder(cache, context.params) if cache is not None else None
        if cache is None or folder is None:
            return None
        return stored_state(cache, RefreshRules(chosen.ignore or Ignore(), None, cache), folder)
    except (OSError, ValueError):  # of settings, a cache or a history that cannot be read: a shell shows no errors
        return None


def _folder(cache: Path, given: dict[str, Any]) -> Path | None:
    """Return the folder of the index over the histories that --history names, by default over all of this machine;
    None when one of them is not there.
    """
    from recall_rank.frontends.cli.options.named_sources import named_sources
    from recall_rank.histories.cache.location import MACHINE, index_folder

    histories = given.get("histories")
    if not histories:
        return cache / MACHINE
    return index_folder(cache, named_sources(histories), discovered=False)

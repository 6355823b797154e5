"""The command `forget`: take a session out of the cache for good, list what was forgotten, and take that back."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from recall_rank.frontends.cli.last_search import forget_in_searches
from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.completions import DIGEST, complete_forgotten
from recall_rank.frontends.cli.options.histories import open_recall, read_with_progress, stored_history_option
from recall_rank.frontends.cli.options.targets import NUMBER
from recall_rank.frontends.cli.output.console import (
    HITS,
    NOT_THERE,
    NOT_WRITTEN,
    USAGE,
    fail,
    fail_without_history,
    print_json,
    progress_on_stderr,
    say,
    tell,
)
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.model.agent_names import named_id
from recall_rank.model.option_errors import error_text

if TYPE_CHECKING:
    from recall_rank.histories.removal.withdraw import Withdrawal
    from recall_rank.model import Session
    from recall_rank.recall import Recall


@click.command(name="forget", short_help="Take a session out of the cache for good, or undo that.")
@click.argument("session", required=False, shell_complete=complete_forgotten)
@click.option("--list", "listed", is_flag=True, help="List what was forgotten: digest, day and agent.")
@click.option("--undo", is_flag=True, help="Read SESSION again: its whole id, or a digest that --list shows.")
@stored_history_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as one line of JSON.")
def forget(session: str | None, *, listed: bool, undo: bool, histories: tuple[str, ...], as_json: bool) -> None:
    """Forget SESSION, an id, a beginning of one, or ID@MACHINE where several have the id, or with the account or agent
    before the machine: its words leave the cache, and no search finds it again. What `compact` kept of it, and the
    numbers of its hits, go, too.

    The history it is in stays as it is. Neither title nor id of what was forgotten is kept, so --list cannot show them.
    """
    if listed and (undo or session):
        fail("--list takes no SESSION, and cannot be combined with --undo", USAGE, as_json=as_json)
    if not listed and not session:
        raise click.UsageError("Missing argument 'SESSION'.")
    try:
        place = CacheOptions.given().folder()
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    if place is None:
        fail("without a cache nothing can be forgotten: see --cache", USAGE, as_json=as_json)
    if listed:
        _list(place, as_json=as_json)
    assert session is not None  # noqa: S101 - for the type checker
    if undo:
        _take_back(place, session, histories, as_json=as_json)
    _forget(place, session, histories, as_json=as_json)


class ForgetError(OSError):
    """A session could not be forgotten, or not everywhere; the text says what still has it."""


def forget_everywhere(place: Path, session: Session, *, alone: bool) -> Withdrawal:
    """Forget a session: take it out of every index in the cache `place`, of what `compact` kept, and of the last
    searches of all terminals. Returns which indexes were rewritten and removed. Other sessions with its id stay, of
    which there is none if it is `alone`. Raises ForgetError.
    """
    from recall_rank.histories.records.forgotten import forget as forget_session
    from recall_rank.histories.records.left_out import named_digest
    from recall_rank.histories.removal.withdraw import withdraw

    found = session.id
    try:
        agent = (session.agent or session.source or "").lower()
        day = f"{datetime.now(UTC):%Y-%m-%d}"
        forget_session(place, found, day=day, agent=agent, named=named_digest(session), alone=alone)
    except (OSError, ValueError) as error:
        raise ForgetError(f"{found} was not forgotten: {error_text(error)}") from error
    try:
        taken = withdraw(place)
    except OSError as error:
        text = f"{found} is not read again, but some of it is still in the cache: {error_text(error)}"
        raise ForgetError(text) from error
    try:
        _empty_contexts(session)
    except OSError as error:
        raise ForgetError(f"{found} is not read again, but a project still quotes it: {error_text(error)}") from error
    try:
        forget_in_searches(named_id(found, session.host))
    except OSError as error:
        text = f"{found} is not read again, but the last search of a terminal still has its id: {error_text(error)}"
        raise ForgetError(text) from error
    return taken


def one_session(recall: Recall, wanted: str) -> tuple[Session, int]:
    """Return the session that `wanted` names, an id, a beginning of one or one of full_names(), and how many others
    have its id: of other machines, accounts or agents. Raises LookupError, also for a name that several have.
    """
    from recall_rank.histories.catalog import full_names

    found = recall.session(wanted)
    equal = sessions_of_id(recall, found.id)
    names = [full_names(each) for each in equal]
    meant = [each for each, own in zip(equal, names, strict=True) if wanted in own] or equal
    if len(meant) > 1:
        shortest = (next((name for name in own if sum(name in each for each in names) == 1), own[-1]) for own in names)
        choice = ", ".join(sorted(shortest))
        raise LookupError(f"{len(equal)} sessions have the id {found.id}, choose one of {choice}")
    return meant[0], len(equal) - 1


def sessions_of_id(recall: Recall, session_id: str) -> list[Session]:
    """Return the different sessions that have this id."""
    from recall_rank.histories.records.table import session_key

    return list({session_key(each): each for each in recall.sessions() if each.id == session_id}.values())


def _forget(place: Path, session: str, histories: tuple[str, ...], *, as_json: bool) -> NoReturn:
    """Forget the session that was named, read the histories again and end the command."""
    with open_recall(histories, as_json=as_json) as recall:
        fail_without_history(read_with_progress(recall, index=False), as_json=as_json)
        try:
            forgotten, equal = one_session(recall, session)
        except LookupError as error:
            hint = ": it takes an id, and no number of a hit" if NUMBER.fullmatch(session) else ""
            fail(f"{error}{hint}", NOT_THERE, as_json=as_json)
    found = forgotten.id
    try:
        taken = forget_everywhere(place, forgotten, alone=not equal)
    except ForgetError as error:
        fail(str(error), NOT_WRITTEN, as_json=as_json)
    with open_recall(histories, as_json=as_json) as recall, progress_on_stderr() as progress:
        recall.refresh(progress)
        others = [str(path) for path in taken.rewritten if path != recall.folder]
    removed = [str(path) for path in taken.removed]
    if as_json:
        print_json({"ok": True, "session_id": found, "others": others, "removed": removed})
    else:
        say(f"forgotten: {one_line(found)}")
        if others:
            say(f"taken out of {counted(len(others), 'other index', 'other indexes')} in the cache", err=True)
        for path in removed:
            say(f"removed, since it could not be read: {one_line(path)}", err=True)
    raise click.exceptions.Exit(HITS)


def _list(place: Path, *, as_json: bool) -> NoReturn:
    """Print the list of forgotten sessions."""
    from recall_rank.histories.records.forgotten import forgotten_sessions

    try:
        found = forgotten_sessions(place)
    except OSError as error:
        fail(error_text(error), USAGE, as_json=as_json)
    if as_json:
        entries = [{"digest": each.digest, "day": each.day, "agent": each.agent} for each in found]
        print_json({"ok": True, "forgotten": entries})
    for each in found if not as_json else ():
        click.echo(f"{each.digest[:DIGEST]}  {each.day or 'day unknown'}  {each.agent or 'agent unknown'}")
    if not as_json:
        say(f"{counted(len(found), 'session', 'sessions')} forgotten" if found else "nothing was forgotten")
    raise click.exceptions.Exit(HITS)


def _take_back(place: Path, wanted: str, histories: tuple[str, ...], *, as_json: bool) -> NoReturn:
    """Take a session off the list of forgotten ones and read the histories again."""
    from recall_rank.histories.records.forgotten import take_back
    from recall_rank.histories.records.left_out import is_listed

    try:
        entry = take_back(place, wanted)
    except OSError as error:
        fail(f"{wanted} is still forgotten: {error_text(error)}", NOT_WRITTEN, as_json=as_json)
    if entry is None:
        text = (
            f"no forgotten session, or more than one, is {wanted}: give its whole id, or a digest that "
            "`recall-rank forget --list` shows"
        )
        fail(text, NOT_THERE, as_json=as_json)
    with open_recall(histories, as_json=as_json, may_be_none=True) as recall, progress_on_stderr() as progress:
        recall.refresh(progress)
        back = next((each.id for each in recall.sessions() if is_listed(each, frozenset({entry.digest}))), None)
    if as_json:
        print_json({"ok": True, "digest": entry.digest, "session_id": back})
    elif back is None:
        tell("it is off the list, but none of the histories that were read has the session any more")
    else:
        say(f"read again: {one_line(back)}")
    raise click.exceptions.Exit(HITS)


def _empty_contexts(session: Session) -> None:
    """Empty the file of `recall-rank compact` in every project where it holds the session. Raises OSError."""
    from recall_rank.frontends.compaction.context_file import empty_contexts_of
    from recall_rank.frontends.compaction.records import recorded_projects

    folders = [Path(os.path.realpath(folder)) for folder in (session.directory, session.worktree) if folder]
    empty_contexts_of(session.id, [*recorded_projects(), *folders])

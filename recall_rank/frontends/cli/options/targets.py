"""Read an argument that names a message or a session: by ids, or by the number of a hit of the last search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from recall_rank.frontends.cli.options.cache_options import default_to_cache
from recall_rank.frontends.cli.output.console import NOT_THERE, fail

if TYPE_CHECKING:
    from recall_rank.frontends.cli.last_search import LastSearch, ShownHit
    from recall_rank.recall import Recall

_DIGITS: Final = 3  # of the number of a hit at most
NUMBER: Final = re.compile(r"[1-9][0-9]{0,2}")  # a number of a hit; a longer one is the beginning of an id
_AS_ID: Final = re.compile(r"id:(?=[0-9]{1,3}\Z)")  # in front of an id that is such a number


@dataclass(frozen=True, slots=True)
class Target:
    """A session, or a message or part of it; what is not named is "". `query` are the words that found it."""

    session_id: str
    message_id: str
    part_id: str
    histories: tuple[str, ...]
    query: str = ""
    match: str = "smart"


def target_of(session: str, message: str | None, histories: tuple[str, ...], *, as_json: bool = False) -> Target:
    """Return what the arguments of a command name. A number of at most three digits without a message is a hit of this
    terminal's last search, which also says in which histories it is, unless `histories` do. A session whose id is such
    a number is written id:NUMBER. Ends the command when there is no such hit.
    """
    if message or not NUMBER.fullmatch(session):
        return Target(_AS_ID.sub("", session), message or "", "", histories)
    from recall_rank.frontends.cli.last_search import DAYS, last_search

    search = last_search()
    if search is None:
        why = f"there is no hit {session}: no search was made in this terminal in the last {DAYS} days"
        fail(f"{why}; a session with this id is written id:{session}", NOT_THERE, as_json=as_json)
    hit = _numbered(search, int(session), as_json=as_json)
    if not histories:
        default_to_cache(search.cache)
    return Target(
        hit.session_id, hit.message_id, hit.part_id, histories or search.histories, search.query, search.match
    )


def message_target(session: str, message: str | None, histories: tuple[str, ...], *, as_json: bool = False) -> Target:
    """Return the message that the arguments of a command name, as target_of() does. A usage error when they name a
    session alone.
    """
    found = target_of(session, message, histories, as_json=as_json)
    if not found.message_id:
        if NUMBER.fullmatch(session):
            raise click.UsageError(f"{session} is a session, no message: `recall-rank messages {session}` reads it.")
        if session.isdecimal() and len(session) <= _DIGITS:
            raise click.UsageError(f"There is no hit {session}: hits are numbered from 1, without leading zeros.")
        raise click.UsageError(
            f"Missing argument 'MESSAGE': {session!r} is taken for a session, not for a hit's number."
        )
    return found


def why_unknown(recall: Recall, session_id: str) -> str:
    """Return a sentence that says that no session, or more than one, has this id or beginning of one; "" if one has."""
    try:
        recall.session(session_id)
    except LookupError as error:
        return str(error.args[0])
    return ""


def _numbered(search: LastSearch, number: int, *, as_json: bool) -> ShownHit:
    last = search.first + len(search.hits) - 1
    if not search.hits:
        fail(f"there is no hit {number}: the last search of this terminal found nothing", NOT_THERE, as_json=as_json)
    if not search.first <= number <= last:
        shown = f"{search.first} to {last}" if last > search.first else f"only {last}"
        fail(f"there is no hit {number}: the last search of this terminal shows {shown}", NOT_THERE, as_json=as_json)
    hit = search.hits[number - search.first]
    if hit is None:
        fail(f"the session of hit {number} was forgotten", NOT_THERE, as_json=as_json)
    return hit

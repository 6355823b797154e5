"""The way an answer is shown: the width it is laid out for, its colour, its time zone, the pager for a long one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import IO, Any, Final

import click

from recall_rank.frontends.display_text import utc_minute

NARROWEST: Final = 20  # columns; a narrower terminal breaks the lines itself
META: Final = "recall_rank.display"  # where the options of a command are kept in its context
FORM: Final = "recall_rank.form"  # where the options that choose the form of its answer are
QUIET: Final = "ids"  # the form of --quiet
_LESS: Final = ("less", "-FRX")  # ends at once for what fits, passes colours on, leaves the text on the screen
_SHORT_PATH: Final = 32  # columns of a folder


@dataclass(frozen=True, slots=True)
class Display:
    """The place on which an answer is shown. The default is a pipe: lines are not wrapped, without colour, and times
    are in UTC, so that equal answers are equal text.
    """

    columns: int | None = None  # lines are wrapped at this width; None in a pipe
    rows: int = 0  # of the terminal
    colour: bool = False
    zone: tzinfo | None = UTC  # None: the zone of this machine
    pager: tuple[str, ...] = ()  # the words of its command; empty for none

    @property
    def is_terminal(self) -> bool:
        return self.columns is not None

    def minute(self, time: int) -> str:
        """Return a time in epoch milliseconds as "2026-05-31 14:05", in UTC with that name; "" for an unknown one."""
        if self.zone is UTC or not utc_minute(time):
            return utc_minute(time)
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time)
        try:
            return f"{moment.astimezone(self.zone):%Y-%m-%d %H:%M}"
        except (OverflowError, OSError):  # the C library knows no zone for so distant a year
            return utc_minute(time)

    def path(self, path: str) -> str:
        """Return a whole path as it is shown: on a terminal with "~" for the home."""
        return _with_tilde(path) if self.is_terminal else path

    def folder(self, path: str) -> str:
        """Return a folder as it is shown: on a terminal with "~" for the home and without the middle of a long one."""
        if not self.is_terminal:
            return path
        short = _with_tilde(path)
        names = short.split("/")
        if len(short) <= _SHORT_PATH or len(names) < 4:
            return short
        return "/".join([names[0] or f"/{names[1]}", "…", *names[-2:]])


def display_of(
    stream: IO[Any],
    environ: Mapping[str, str],
    *,
    color: str | None = None,
    zone: str | None = None,
    paged: bool = True,
) -> Display:
    """Return how answers are shown on a stream.

    `color` is "always", "never", or "auto" and None: colour on a terminal, unless NO_COLOR is set. `zone` is a name of
    the zone database, "UTC" or "local", and counts on a terminal. COLUMNS and LINES, where they are set, are the size
    of the terminal.
    """
    is_terminal = stream.isatty()
    able = is_terminal and environ.get("TERM") != "dumb"
    colour = color == "always" or (color != "never" and able and not environ.get("NO_COLOR"))
    if not is_terminal:
        return Display(colour=colour)
    rows = shutil.get_terminal_size().lines
    return Display(columns_of(stream), rows, colour, _zone(zone), _pager(environ) if paged and able else ())


def has_terminal() -> bool:
    """Return whether stdin, stdout or stderr is a terminal, so that there is somebody to give numbers to."""
    return any(os.isatty(descriptor) for descriptor in (2, 0, 1))


def columns_of(stream: IO[Any]) -> int | None:
    """Return the width of the terminal that a stream is; None for a pipe and for a terminal that is too narrow to wrap
    text for.
    """
    if not stream.isatty():
        return None
    columns = shutil.get_terminal_size().columns
    return columns if columns >= NARROWEST else None


def is_quiet() -> bool:
    """Return whether the running command has the option --quiet: then stderr gets errors alone, no notes or bars."""
    context = click.get_current_context(silent=True)
    return context is not None and QUIET in context.meta.get(FORM, {})


def given_display(stream: IO[Any]) -> Display:
    """Return how the running command shows its answer on a stream, by its options and the settings. Settings that
    cannot be read end the command.
    """
    from recall_rank.histories.settings import settings

    context = click.get_current_context(silent=True)
    given: dict[str, Any] = context.meta.get(META, {}) if context is not None else {}
    try:
        defaults = settings().defaults
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    color = given.get("color") or defaults.color
    return display_of(stream, os.environ, color=color, zone=defaults.time_zone, paged=not given.get("no_pager"))


def _zone(name: str | None) -> tzinfo | None:
    if name in (None, "local"):
        return None
    if name == "UTC":
        return UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(str(name))


def _pager(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Return the words of the pager's command: that of RECALL_RANK_PAGER, else of PAGER, else less where it is
    installed. One that is empty, or cat, is none.
    """
    import shlex

    for name in ("RECALL_RANK_PAGER", "PAGER"):
        if name in environ:
            try:
                words = tuple(shlex.split(environ[name]))
            except ValueError:  # a quotation mark alone
                return ()
            return () if words == ("cat",) else words
    return _LESS if shutil.which(_LESS[0]) else ()


def _with_tilde(path: str) -> str:
    try:
        home = str(Path.home()).rstrip("/")
    except RuntimeError:  # no home is known
        return path
    if home and (path == home or path.startswith(f"{home}{os.sep}")):
        return f"~{path[len(home) :]}"
    return path

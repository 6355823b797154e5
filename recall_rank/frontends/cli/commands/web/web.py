"""The command `web`: pages for a browser on this machine, or one session as a page to give away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from recall_rank.frontends.cli.options.cache_options import CacheOptions
from recall_rank.frontends.cli.options.completions import complete_sessions
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.options.named_sources import every_store
from recall_rank.frontends.cli.options.one_session import whole_session
from recall_rank.frontends.cli.options.output_file import OutputFile, output_options
from recall_rank.frontends.cli.options.redact import redact_option
from recall_rank.frontends.cli.options.targets import target_of
from recall_rank.frontends.cli.options.web_extra import fail_without_web
from recall_rank.frontends.cli.output.console import (
    HITS,
    USAGE,
    fail,
    fail_without_history,
    say,
)

if TYPE_CHECKING:
    from recall_rank.model import Session
    from recall_rank.recall import Recall


@click.command(name="web", short_help="Search and read in a browser, on this machine only.")
@click.argument("session", required=False, metavar="[NUMBER | SESSION]", shell_complete=complete_sessions)
@click.option("--port", type=click.IntRange(1, 65535), help="The port. Default: 7391, or a free one if it is taken.")
@click.option("--open/--no-open", "opened", default=True, help="Whether a browser is opened. Default: it is.")
@output_options("--share", metavar="FILE", help="Write SESSION as a page and end. Default: pages are served.")
@redact_option
@history_option
@click.pass_context
def web(
    ctx: click.Context,
    session: str | None,
    *,
    port: int | None,
    opened: bool,
    share: OutputFile | None,
    redact: bool,
    histories: tuple[str, ...],
) -> None:
    """Show the histories in a browser: search, sessions, activity, lineage, sources. Ctrl-C ends it.

    Only this machine can connect, and only a browser that opened the address which is printed. Nothing is loaded from
    elsewhere, and no history is changed.

    With --share FILE, SESSION is written as a page that stands alone, to give to others; keys and passwords in it are
    replaced unless --no-redact says otherwise.
    """
    fail_without_web("recall-rank web")
    if (session is None) != (share is None):
        fail("SESSION and --share FILE go together", USAGE, as_json=False)
    if session is not None and share is not None:
        _share(session, share, histories, redact=redact or _not_said(ctx))
        ctx.exit(HITS)
    from recall_rank.frontends.web.serve import PortTakenError, serve

    with open_recall(histories) as recall, TemporaryDirectory(prefix="recall-rank-") as folder:
        fail_without_history(read_with_progress(recall), as_json=False)
        try:
            serve(
                recall,
                _announce(Path(folder) if opened else None),
                port=port,
                redact=redact,
                forget=_forgetting(recall),
            )
        except PortTakenError as error:
            fail(str(error), USAGE, as_json=False)
    ctx.exit(HITS)


def _not_said(ctx: click.Context) -> bool:
    """Return whether the command line has neither --redact nor --no-redact: what is given away is redacted then."""
    return ctx.get_parameter_source("redact") is click.core.ParameterSource.DEFAULT


def _share(wanted: str, out: OutputFile, histories: tuple[str, ...], *, redact: bool) -> None:
    """Write a session as a page that stands alone. Ends the command where there is no such session."""
    from recall_rank.frontends.web.standalone_page import standalone_page

    out.format(("html",))
    histories = target_of(wanted, None, histories).histories
    with out.open(every_store(histories)) as file:
        for text in standalone_page(whole_session(wanted, histories), redact=redact):
            file.write(text.encode("utf-8", "replace"))


def _announce(folder: Path | None) -> Callable[[str], None]:
    """Return what is done with the first address: it is printed, and with a private folder opened in a browser."""
    from recall_rank.frontends.web.serve import leading_page

    def announce(address: str) -> None:
        say(address)
        say("open this address in a browser on this machine; Ctrl-C ends it", err=True)
        if folder is not None:
            click.launch(str(leading_page(address, folder)))

    return announce


def _forgetting(recall: Recall) -> Callable[[Session], None] | None:
    """Return what forgets a session; None without a cache, from which it would be taken."""
    try:
        place = CacheOptions.given().folder()
    except ValueError as error:
        fail(str(error), USAGE, as_json=False)
    if place is None:
        return None
    from recall_rank.frontends.cli.commands.cache.forget import forget_everywhere, sessions_of_id

    def forget(session: Session) -> None:
        forget_everywhere(place, session, alone=len(sessions_of_id(recall, session.id)) == 1)
        recall.refresh()

    return forget

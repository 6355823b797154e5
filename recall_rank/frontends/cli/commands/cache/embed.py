"""The command `embed`: make the vectors with which searches also find what is near in meaning."""

from __future__ import annotations

from dataclasses import asdict

import click

from recall_rank.frontends.cli.options.cache_options import not_empty
from recall_rank.frontends.cli.options.histories import open_recall, stored_history_option
from recall_rank.frontends.cli.output.console import (
    NOT_WRITTEN,
    USAGE,
    fail,
    fail_without_history,
    print_json,
    print_lines,
    progress_on_stderr,
)
from recall_rank.frontends.display_text import counted, one_line
from recall_rank.model.option_errors import error_text


@click.command(name="embed", short_help="Make the vectors for searches by meaning.")
@click.option(
    "--embedder", metavar="NAME", callback=not_empty,
    help="Make them with this model, such as ollama:all-minilm. Default: the setting `embedder`.",
)  # fmt: skip
@stored_history_option
@click.option("--json", "as_json", is_flag=True, help="Print what was made as one line of JSON.")
def embed(embedder: str | None, histories: tuple[str, ...], as_json: bool) -> None:
    """Read what changed in the histories, and make a vector of every passage that has none. Stop it at any time: what
    was made is kept.

    Searches use these vectors where the settings name the same embedder. A program that stays, such as the server for
    agents, makes missing vectors by itself while nobody searches.
    """
    try:
        recall = open_recall(histories, as_json=as_json, embedder=embedder)
    except ValueError as error:
        fail(str(error), USAGE, as_json=as_json)
    with recall, progress_on_stderr() as progress:
        reports = recall.refresh(progress).sources
        fail_without_history(reports, as_json=as_json)
        if recall.vectors() is None:
            fail(
                'no embedder is chosen: name one with --embedder, or in the settings (embedder = "ollama:all-minilm")',
                USAGE,
                as_json=as_json,
            )
        try:
            done = recall.embed(progress)
        except Exception as error:  # noqa: BLE001 - an embedder may raise anything
            fail(f"{error_text(error)}; what was made before is kept", NOT_WRITTEN, as_json=as_json)
    if as_json:
        print_json({"ok": True, **asdict(done)})
    else:
        seconds = done.elapsed_ms / 1000
        passages, made = counted(done.passages, "passage", "passages"), counted(done.made, "vector", "vectors")
        have = f"{done.with_vector:,} of {passages} {'has' if done.passages == 1 else 'have'} one"
        line = f"{made} made, {have}, in {seconds:,.1f} s"
        print_lines([[(line, ""), (f" · {one_line(done.model)}", "dim")]])

"""The command `evaluate`: measure the answers to labelled queries; prints aggregates and no text of a history."""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Any

import click

from recall_rank.frontends.cli.options.display_options import display_options
from recall_rank.frontends.cli.options.histories import history_option, open_recall, read_with_progress
from recall_rank.frontends.cli.output.console import (
    HITS,
    NOT_THERE,
    USAGE,
    fail,
    fail_without_history,
    print_json,
    progress_on_stderr,
)
from recall_rank.frontends.cli.output.display import given_display
from recall_rank.frontends.cli.output.render import show
from recall_rank.frontends.cli.query_file import QueryFile, read_queries

if TYPE_CHECKING:
    from recall_rank.evaluation.evaluate import Search
    from recall_rank.evaluation.labelled_queries import LabelledQuery
    from recall_rank.evaluation.report import Evaluation
    from recall_rank.model import SearchResponse, SourceReport
    from recall_rank.recall import Recall

_MODES = click.Choice(["literal", "smart", "fuzzy", "regex"])
_BY_KIND = "by kind"  # smart, and fuzzy where the kind says typo


@click.command(name="evaluate", short_help="Measure how well searches find what is there.")
@history_option
@click.option("--queries", "lines", type=click.File("rb"), required=True, help="Labelled queries; - is stdin.")
@click.option("--match", "-m", type=_MODES, help="How words match. Default: smart, fuzzy for kinds named typo.")
@click.option("--against", type=_MODES, help="Compare with this way of matching, query by query.")
@click.option("--against-weights", metavar="NAME=VALUE[+...]", help="Compare with other weights, query by query.")
@click.option("--budget-ms", type=int, metavar="MS", help="How long a search may take. Default: 2000.")
@click.option("--json", "as_json", is_flag=True, help="Print all figures as one line of JSON.")
@display_options
@click.pass_context
def evaluate(
    ctx: click.Context,
    histories: tuple[str, ...],
    lines: IO[bytes],
    match: str | None,
    against: str | None,
    against_weights: str | None,
    budget_ms: int | None,
    as_json: bool,
) -> None:
    """Measure how well searches find what is known to be there.

    A line of the file of queries is {"query", "relevant": [{"session", "message"?, "part"?, "grade"?}], "kind"?,
    "project"?, "also"?, "exclude"?, "relevant_sessions"?}, or {"query", "answerable": false} where nothing answers.
    Only aggregates are printed: no text, no id and no query.

    Ends with 5 when no message or session that answers a query is in the history.
    """
    file = read_queries(lines)
    if not file.queries:
        first = f": line {file.broken[0].line}: {file.broken[0].reason}" if file.broken else ""
        fail(f"no line of the file holds a query ({len(file.broken)} broken){first}", USAGE, as_json=as_json)
    configurations = _configurations(match, against, against_weights, as_json=as_json)
    options = {} if budget_ms is None else {"budget_ms": budget_ms}
    with open_recall(histories, as_json=as_json) as recall:
        reports = read_with_progress(recall)
        fail_without_history(reports, as_json=as_json)
        evaluation = _evaluate(recall, file.queries, configurations, options, as_json=as_json)
    if as_json:
        print_json(_to_dict(evaluation, configurations, reports, file))
    else:
        from recall_rank.frontends.cli.output.evaluation_tables import evaluation_lines

        display = given_display(sys.stdout)
        names = [_name(one) for one in configurations]
        show(evaluation_lines(evaluation, names, reports, file, display.columns), display)
    ctx.exit(HITS if evaluation.measured or evaluation.unanswerable else NOT_THERE)


def _configurations(
    match: str | None, against: str | None, weights: str | None, *, as_json: bool
) -> list[dict[str, Any]]:
    """Return the measured configuration, followed by the one to compare it with, if there is one.

    A configuration is {"match", "weights"?}: the match mode, and changes of weights.
    """
    first: dict[str, Any] = {"match": match or _BY_KIND}
    if against is None and weights is None:
        return [first]
    second: dict[str, Any] = {"match": against or first["match"]}
    if weights is not None:
        from recall_rank.frontends.cli.options.weights import parse_weights

        try:
            parse_weights(weights)
        except ValueError as error:
            fail(str(error), USAGE, as_json=as_json)
        second["weights"] = weights
    if second == first:
        fail(f"--against {against} is what is asked already: nothing to compare", USAGE, as_json=as_json)
    return [first, second]


def _evaluate(
    recall: Recall,
    queries: Sequence[LabelledQuery],
    configurations: Sequence[dict[str, Any]],
    options: dict[str, Any],
    *,
    as_json: bool,
) -> Evaluation:
    """Return the evaluation of one or two configurations. Ends the command when a search refuses an option."""
    from recall_rank.evaluation.evaluate import evaluate as evaluate_queries

    first, *others = (_search(recall, one) for one in configurations)
    with progress_on_stderr() as progress:
        try:
            return evaluate_queries(
                recall, queries, using=first, against=others[0] if others else None, progress=progress, **options
            )
        except ArithmeticError as error:
            fail(f"no search is possible with these weights: {type(error).__name__}", USAGE, as_json=as_json)
        except (ValueError, TypeError, RuntimeError) as error:
            fail(str(error), USAGE, as_json=as_json)


def _search(recall: Recall, configuration: dict[str, Any]) -> Search:
    """Return a function search(query, **options) that adds the options of a configuration."""
    from recall_rank.frontends.cli.options.weights import parse_weights

    search: Search = recall.search
    if weights := configuration.get("weights"):
        search = functools.partial(search, weights=parse_weights(weights))
    match = configuration["match"]
    if match == _BY_KIND:
        return search

    def matching(query: str, **options: Any) -> SearchResponse:
        return search(query, **{**options, "match": match})

    return matching


def _name(configuration: dict[str, Any]) -> str:
    match, weights = configuration["match"], configuration.get("weights")
    name = "smart, fuzzy for kinds named typo" if match == _BY_KIND else str(match)
    return f"{name} with {weights}" if weights else name


def _to_dict(
    evaluation: Evaluation,
    configurations: Sequence[dict[str, Any]],
    reports: Sequence[SourceReport],
    file: QueryFile,
) -> dict[str, Any]:
    return {
        "ok": True,
        "configurations": list(configurations),
        "history": {
            "sources": len(reports),
            "failed": sum(report.failed for report in reports),
            "sessions": sum(report.sessions for report in reports),
            "messages": sum(report.messages for report in reports),
            "parts": sum(report.parts for report in reports),
            "malformed": sum(report.malformed_count for report in reports),
        },
        "broken_lines": [{"line": one.line, "reason": one.reason} for one in file.broken],
        "unknown_lines": [
            {"line": file.lines[one.query], "places": one.places, "measured": one.measured}
            for one in evaluation.unknown
        ],
        **{name: value for name, value in evaluation.to_dict().items() if name != "unknown"},
    }

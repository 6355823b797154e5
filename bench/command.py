"""`python -m bench list | run NAME ... [options] | compare BEFORE.json AFTER.json | data [NAME FOLDER]`."""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bench.engines import EngineError, create
from bench.reporting import compare, plot, report

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

BENCHMARKS = (
    "known_item",
    "quality",
    "honest",
    "speed",
    "deadline",
    "startup",
    "kernels",
    "memory",
    "server_memory",
    "needle",
    "explain",
    "calibration",
    "nonlatin",
    "redaction",
    "injection",
    "mcp",
    "loaders",
    "refresh",
    "live",
    "shards",
    "plan",
    "rerank",
    "scale",
    "systems",
    "browse",
    "compress",
    "remote",
    "web_pages",
    "packed_text",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 1 a check failed or a figure regressed, 2 wrong usage or data that is not there, 130
    interrupted.
    """
    try:
        return _main(argv)
    except KeyboardInterrupt:
        return 130


def _main(argv: Sequence[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Benchmarks; every one checks its answers.")
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="the benchmarks and their questions")
    running = actions.add_parser("run", help="run benchmarks; options after their names", add_help=False)
    running.add_argument("names", nargs="+", metavar="NAME")
    comparing = actions.add_parser("compare", help="fail when the second result file is worse than the first")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    getting = actions.add_parser("data", help="list the sets of the published figures, or build them")
    getting.add_argument("name", nargs="?", metavar="NAME", help="a set, several with commas, or all")
    getting.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="each set becomes a folder in it")
    getting.add_argument(
        "--from",
        dest="checkouts",
        action="append",
        default=[],
        type=Path,
        metavar="CHECKOUT",
        help="a checkout or bare clone of a repository of the set, to be read in place of fetching it; may be repeated",
    )
    given = list(sys.argv[1:] if argv is None else argv)
    if given[:1] == ["run"]:  # names come first, then options of the benchmarks
        cut = next((at for at, word in enumerate(given) if word.startswith("-")), len(given))
        return _run(parser, parser.parse_args(given[:cut]).names, given[cut:])
    options = parser.parse_args(given)
    if options.action == "list":
        for name in BENCHMARKS:
            print(f"{name:<{max(map(len, BENCHMARKS)) + 2}}{question(name)}")
        return 0
    if options.action == "data":
        if options.name and not options.folder:
            parser.error("data needs a folder besides the name of a set")
        from bench.datasets.published import build_data  # what no other action needs

        return build_data.main(options.name, options.folder, options.checkouts)
    return compare.main(options.before, options.after)


def question(name: str) -> str:
    """The docstring of a benchmark, read without importing it and what it measures."""
    return ast.get_docstring(ast.parse(_path(name).read_text(encoding="utf-8"))) or ""


def _path(name: str) -> Path:
    """The file of a benchmark, in the folder `benchmarks` or one below it."""
    return next(Path(__file__).with_name("benchmarks").rglob(f"{name}.py"))


def _reports(made: report.Report | Iterable[report.Report]) -> Iterable[report.Report]:
    """A benchmark makes one report, or one for every history it runs on."""
    return (made,) if isinstance(made, report.Report) else made


def _module(name: str) -> ModuleType:
    place = _path(name).relative_to(Path(__file__).parent).with_suffix("")
    return importlib.import_module(".".join(("bench", *place.parts)))


def _run(parser: argparse.ArgumentParser, names: Sequence[str], rest: Sequence[str]) -> int:
    if unknown := [name for name in names if name not in BENCHMARKS]:
        parser.error(f"benchmark must be one of {', '.join(BENCHMARKS)}, not {', '.join(unknown)}")
    plans = [(_module(name), *_options(name, rest)) for name in names]
    # An option may belong to one of several benchmarks; one that belongs to none is a mistake.
    if strangers := [word for word in rest if word.startswith("-") and all(word in over for _, _, over in plans)]:
        parser.error(f"unrecognized arguments: {' '.join(strangers)}")
    engines = {name for _, options, _ in plans for name in getattr(options, "engines", "").split(",") if name}
    try:
        for engine in sorted(engines):
            create(engine)  # one that is missing is told before anything is measured
    except EngineError as error:
        parser.error(f"argument --engines: {error}")
    done = []
    for module, options, _ in plans:
        try:
            for result in _reports(module.run(options)):
                print(result.text(), flush=True)
                done.append(result)
        except FileNotFoundError as error:
            print(f"{module.__name__}: {error}", file=sys.stderr)
            return 2
    last = plans[-1][1]
    if last.out:
        report.write(last.out, done)
    if last.plot:
        for path in plot.write(done, last.plot):
            print(path)
    return 1 if any(one.failed for one in done) else 0


def _options(name: str, rest: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    module = _module(name)
    parser = argparse.ArgumentParser(prog=f"python -m bench run {name}", description=question(name))
    parser.add_argument("--out", type=Path, help="write the results as JSON")
    parser.add_argument(
        "--plot",
        type=Path,
        nargs="?",
        const=plot.RESULTS,
        help="write SVG plots and Markdown tables into this folder (default: bench/results)",
    )
    module.arguments(parser)
    return parser.parse_known_args(rest)

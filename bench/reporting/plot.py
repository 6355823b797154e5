"""Writes reports as SVG plots and Markdown tables."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from bench.reporting.report import Plot, Report

RESULTS = Path(__file__).resolve().parents[1] / "results"


def write(reports: Iterable[Report], folder: Path) -> list[Path]:
    """Write one Markdown file for each report and one SVG for each plot; return the written files.

    Several reports of one benchmark, on different data, are numbered.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    seen: Counter[str] = Counter()
    for report in reports:
        seen[report.benchmark] += 1
        before = seen[report.benchmark] - 1
        name = f"{report.benchmark}-of-{before + 1}" if before else report.benchmark
        tables = folder / f"{name}.md"
        tables.write_text(markdown(report), encoding="utf-8")
        written.append(tables)
        for number, plot in enumerate(report.plots, 1):
            picture = folder / f"{name}-{number}.svg"
            _draw(picture, plot)
            written.append(picture)
    return written


def markdown(report: Report) -> str:
    """Return the question, the data and every table of a report."""
    lines = [f"# {report.benchmark}", "", report.question, "", f"Data: {report.data}."]
    for table in report.tables:
        lines += ["", f"## {table.title}", "", table.markdown()]
    return "\n".join(lines) + "\n"


def _draw(path: Path, plot: Plot) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "recall_rank"  # equal values give an equal file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4.5))
    DRAWN[plot.kind](axes, plot)
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _cumulative(axes: Axes, plot: Plot) -> None:
    """Draw the cumulative distribution of each line."""
    for name, values in plot.lines.items():
        ordered = sorted(values)
        axes.step(ordered, [(place + 1) / len(ordered) for place in range(len(ordered))], where="post", label=name)
    axes.set_xscale("log" if min(min(values) for values in plot.lines.values()) > 0 else "symlog")
    axes.set_xlabel(plot.title)
    axes.set_ylabel("share")


def _bars(axes: Axes, plot: Plot) -> None:
    width = 0.8 / max(1, len(plot.lines))
    for number, (name, values) in enumerate(plot.lines.items()):
        places = [at + width * (number - (len(plot.lines) - 1) / 2) for at in range(len(values))]
        axes.bar(places, list(values), width, label=name)
    axes.set_xticks(range(len(plot.x)), [str(label) for label in plot.x], rotation=30, ha="right")
    axes.set_ylabel(plot.title)


def _line(axes: Axes, plot: Plot) -> None:
    for name, values in plot.lines.items():
        axes.plot([float(one) for one in plot.x], list(values), marker="o", label=name)
    axes.set_xlabel(plot.x_label)
    axes.set_ylabel(plot.title)


DRAWN = {"cumulative": _cumulative, "bars": _bars, "line": _line}

"""Results as SVG plots and Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.report import Report

RESULTS = Path(__file__).parent / "results"


def write(reports: Iterable[Report], folder: Path) -> list[Path]:
    """One Markdown file a report, and one SVG for every series in it. Gives the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for report in reports:
        tables = folder / f"{report.benchmark}.md"
        tables.write_text(markdown(report), encoding="utf-8")
        written.append(tables)
        for number, (title, lines) in enumerate(report.series.items()):
            picture = folder / f"{report.benchmark}-{number + 1}.svg"
            _cumulative(picture, title, lines)
            written.append(picture)
    return written


def markdown(report: Report) -> str:
    """The question, the data and every table."""
    lines = [f"# {report.benchmark}", "", report.question, "", f"Data: {report.data}."]
    for table in report.tables:
        lines += ["", f"## {table.title}", "", table.markdown()]
    return "\n".join(lines) + "\n"


def _cumulative(path: Path, title: str, lines: Mapping[str, Sequence[float]]) -> None:
    """For every line the share of its values at or below x: a picture of all percentiles at once."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "recall_rank"  # the same values give the same file
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for name, values in lines.items():
        ordered = sorted(values)
        axes.step(ordered, [(place + 1) / len(ordered) for place in range(len(ordered))], where="post", label=name)
    axes.set_xscale("log" if min(min(values) for values in lines.values()) > 0 else "symlog")
    axes.set_xlabel(title)
    axes.set_ylabel("share of searches")
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)

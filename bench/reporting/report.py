"""The report of a benchmark: figures, checks and tables, as JSON and as text. bench/README.md documents the schema."""

from __future__ import annotations

import math
import platform
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA = 1
Better = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True)
class Figure:
    """One number. `tolerance` is the share of the older value by which a figure may be worse without being a
    regression.
    """

    name: str
    value: float
    unit: str = ""
    better: Better = "neither"
    tolerance: float = 0.0
    n: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that must hold, and whether it held."""

    name: str
    ok: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text for a reader."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, the first column aligned left, the others right."""
        ruler = ["---", *("---:" for _ in self.columns[1:])]
        lines = [self.columns, ruler, *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def text(self) -> str:
        """Return the table aligned for a terminal."""
        lines = [self.columns, *self.rows]
        widths = [max(len(line[i]) for line in lines if i < len(line)) for i in range(len(self.columns))]
        padded = (
            "  ".join(
                cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(line, widths, strict=False))
            )
            for line in lines
        )
        return "\n".join([self.title, *(line.rstrip() for line in padded)])


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture. cumulative: the share of a line's values at or below x; bars and line: a value for every x."""

    kind: Literal["cumulative", "bars", "line"]
    title: str
    lines: Mapping[str, Sequence[float]]
    x: Sequence[str] | Sequence[float] = ()
    x_label: str = ""


@dataclass(slots=True)
class Report:
    """The report of one run of one benchmark."""

    benchmark: str
    question: str
    data: str
    options: Mapping[str, Any] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)

    def add(
        self, name: str, value: float, unit: str = "", better: Better = "neither", tol: float = 0.0, n: int = 0
    ) -> None:
        """Record a figure. One that is not finite is left out, because JSON cannot hold it."""
        if math.isfinite(value):
            self.figures.append(Figure(name, value, unit, better, tol, n))

    def check(self, name: str, ok: bool, detail: str = "") -> None:
        """Record a check."""
        self.checks.append(Check(name, bool(ok), detail))

    @property
    def failed(self) -> list[Check]:
        return [one for one in self.checks if not one.ok]

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON object."""
        return {
            "schema": SCHEMA,
            "made": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "machine": machine(),
        } | asdict(self)

    def text(self) -> str:
        """Return the report for a terminal: the question, the tables, then the checks."""
        lines = [f"{self.benchmark}: {self.question}", f"data: {self.data}"]
        lines += ["\n" + table.text() for table in self.tables]
        lines += [
            f"{'ok  ' if one.ok else 'FAIL'} {one.name}{': ' if one.detail else ''}{one.detail}" for one in self.checks
        ]
        return "\n".join(lines)


def machine() -> dict[str, str]:
    """Return versions, platform and processor, on which figures depend besides the code."""
    return {
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "processor": _processor(),
        "recall_rank": _version("recall_rank"),
        "rapidfuzz": _version("rapidfuzz"),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "source tree"


def read(path: Path) -> list[dict[str, Any]]:
    """Return the reports of a result file. Raises ValueError for a file of another schema."""
    document = orjson.loads(path.read_bytes())
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise ValueError(f"{path} is not a result file of schema {SCHEMA}")
    return list(document["reports"])


def write(path: Path, reports: Sequence[Report]) -> None:
    """Write the reports as one result file."""
    document = {"schema": SCHEMA, "reports": [one.to_dict() for one in reports]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2))

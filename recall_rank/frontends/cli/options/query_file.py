"""Reads a file of labelled queries, one line of JSON each; broken lines are reported by their number and skipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recall_rank.evaluation.labelled_queries import LabelledQuery

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line that is not a query. The reason never quotes the line, which may be private."""

    line: int
    reason: str


def read_queries(lines: Iterable[bytes]) -> tuple[list[LabelledQuery], list[BrokenLine]]:
    """Return the queries and the broken lines; blank lines are skipped."""
    import orjson

    from recall_rank.evaluation.labelled_queries import labelled

    queries: list[LabelledQuery] = []
    broken: list[BrokenLine] = []
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            queries.append(labelled(orjson.loads(text)))
        except orjson.JSONDecodeError:
            broken.append(BrokenLine(number, "not JSON"))
        except (ValueError, TypeError) as error:
            broken.append(BrokenLine(number, str(error)))
    return queries, broken

"""Read a file of labelled queries, one line of JSON each. Broken lines are skipped and reported by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recall_rank.evaluation.labelled_queries import LabelledQuery

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class QueryFile:
    """The queries of a file, the numbers of their lines, and the lines that hold none."""

    queries: Sequence[LabelledQuery]
    lines: Sequence[int]
    broken: Sequence[BrokenLine]


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line of a query file that is not a valid query. `reason` never quotes the line, which may be private."""

    line: int
    reason: str


def read_queries(lines: Iterable[bytes]) -> QueryFile:
    """Return what the lines of a query file hold; blank lines are skipped."""
    import orjson

    from recall_rank.evaluation.labelled_queries import labelled

    queries: list[LabelledQuery] = []
    numbers: list[int] = []
    broken: list[BrokenLine] = []
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(_BOM) if number == 1 else line
        if not text.strip():
            continue
        try:
            queries.append(labelled(orjson.loads(text)))
            numbers.append(number)
        except orjson.JSONDecodeError:
            broken.append(BrokenLine(number, "not JSON"))
        except (ValueError, TypeError) as error:
            broken.append(BrokenLine(number, str(error)))
    return QueryFile(queries, numbers, broken)

"""Read a file of labelled queries, one line of JSON each. Broken lines are skipped and reported by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recall_rank.evaluation.labelled_queries import LabelledQuery

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line of a query file that is not a valid query. `reason` never quotes the line, which may be private."""

    line: int
    reason: str


def read_queries(lines: Iterable[bytes]) -> tuple[list[LabelledQuery], list[BrokenLine]]:
    """Return the labelled queries and the broken lines of a query file; blank lines are skipped."""
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

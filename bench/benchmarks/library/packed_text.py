"""How many bytes does an index on disk take for each byte of text, its text packed or not, and what does that cost?"""

from __future__ import annotations

import statistics
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.datasets import dataset
from bench.engines.ours import UNHURRIED_MS
from bench.reporting.rank_metrics import quantile
from bench.reporting.report import Report, Table
from recall_rank import Index
from recall_rank.index.segment.build_batches import build_batches
from recall_rank.index.storage.folder import Folder
from recall_rank.index.storage.publish import add, open_generation, publish

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from bench.datasets.history_files import LabelledQuery
    from recall_rank.index.segment.segment import Segment
    from recall_rank.index.storage.manifest import ListedFile, Manifest
    from recall_rank.model import SearchResponse

MOST_BYTES = 0.6  # of a byte of text, for histories of agents; made-up words repeat less
SLOWER = 1.1  # times the CPU of searches over a text that is not packed
WORDLESS = ("->", "e", "x = y")  # literals whose words bound nothing: all text is read
FIRST = "which test fails"  # asked before what is measured, so that columns other than the text are there


@dataclass(frozen=True, slots=True)
class Searched:
    """CPU ms of one query over both indexes: (not packed, packed)."""

    kind: str
    first: tuple[float, float]
    warm: tuple[float, float]


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--queries", type=int, default=120, help="how many are asked (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="warm searches of each (default %(default)s)")
    parser.add_argument("--apart", type=int, default=20, help="queries each asked of an index that was just opened")


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("packed_text", __doc__ or "", data.name)
    with tempfile.TemporaryDirectory() as given:
        plain, packed = Path(given, "plain"), Path(given, "packed")
        spent = {plain: 0.0, packed: 0.0}
        files: dict[Path, list[ListedFile]] = {plain: [], packed: []}
        for segment in build_batches(data.sessions):
            for place in (plain, packed):
                before = time.process_time()
                files[place].append(_written(place, segment, settled=place is packed))
                spent[place] += time.process_time() - before
        for place, listed in files.items():
            with Folder(place) as folder:
                publish(folder, partial(_only, tuple(listed)))
        _sizes(report, plain, packed, spent, real=not data.generated)
        asked = data.queries[:: max(1, len(data.queries) // options.queries)]
        _searches(report, plain, packed, asked, options)
    return report


def _written(place: Path, segment: Segment, *, settled: bool) -> ListedFile:
    with Folder.create(place) as folder:
        return add(folder, segment, settled=settled)


def _only(files: tuple[ListedFile, ...], _: Manifest) -> tuple[ListedFile, ...]:
    return files


def _sizes(report: Report, plain: Path, packed: Path, spent: dict[Path, float], *, real: bool) -> None:
    text = sum(len(segment.text_for(())) for segment in open_generation(plain).segments)
    rows, shares = [], {}
    for name, place in (("not packed", plain), ("packed", packed)):
        size = sum(path.stat().st_size for path in place.iterdir())
        columns = ("text_dictionary", "text_starts", "text")
        stored = sum(segment.stored_bytes(columns) for segment in open_generation(place).segments)
        shares[name] = size / text
        rows.append([name, f"{size / text:.3f}", f"{stored / text:.3f}", f"{spent[place] * 1e9 / text:.1f}"])
    columns_ = ["text", "all files", "the text in them", "CPU ns to write a byte"]
    report.tables.append(Table(f"bytes of the files for each byte of text, {text / 1e6:.1f} MB", columns_, rows))
    report.add("bytes for a byte of text", shares["packed"], "bytes", "lower", 0.02)
    if real:
        share = shares["packed"]
        report.check(f"at most {MOST_BYTES:g} bytes for a byte of text", share <= MOST_BYTES, f"{share:.3f}")


def _searches(
    report: Report, plain: Path, packed: Path, queries: Sequence[LabelledQuery], options: argparse.Namespace
) -> None:
    alike = 0
    done: list[Searched] = []
    with Index.open(plain) as one, Index.open(packed) as other:
        for index in (one, other):
            _search(index, FIRST, "smart")
        asked = [(_mode(query), query.query, _mode(query)) for query in queries]
        asked += [("literal", query.query, "literal") for query in queries[:: max(1, len(queries) // 30)]]
        asked += [("literal without words", text, "literal") for text in WORDLESS]
        for kind, text, mode in asked:
            (wanted, first), (found, second) = _search(one, text, mode), _search(other, text, mode)
            alike += wanted == found
            warm = [(_search(one, text, mode)[1], _search(other, text, mode)[1]) for _ in range(options.rounds)]
            least = statistics.median(a for a, _ in warm), statistics.median(b for _, b in warm)
            done.append(Searched(kind, (first, second), least))
    report.check("answers are those of a text that is not packed", alike == len(done), f"{alike} of {len(done)}")
    rows = []
    for kind in dict.fromkeys(each.kind for each in done):
        some = [each for each in done if each.kind == kind]
        rows.append(_row(f"{kind}: first", [each.first for each in some]))
        rows.append(_row(f"{kind}: warm", [each.warm for each in some]))
    by_words = [each for each in done if not each.kind.startswith("literal")]
    apart = [_apart(plain, packed, query) for query in queries[:: max(1, len(queries) // options.apart)]]
    rows.append(_row("each of an index that was just opened", apart))
    columns = ["searches", "number", "not packed, CPU ms", "packed", "ratio p50", "ratio of sums"]
    report.tables.append(Table("CPU of searches, medians", columns, rows))
    for name, pairs in (("warm", [each.warm for each in by_words]), ("first", [each.first for each in by_words])):
        ratio = statistics.median(b / a for a, b in pairs)
        report.add(f"CPU of {name} searches", ratio, "times", "lower", 0.1, len(pairs))
        report.check(f"{name} searches: at most {SLOWER:g} times the CPU", ratio <= SLOWER, f"{ratio:.3f}")


def _apart(plain: Path, packed: Path, query: LabelledQuery) -> tuple[float, float]:
    """CPU ms of a query over both indexes, opened for it: no block of the text was verified or unpacked for it."""
    took = []
    for place in (plain, packed):
        with Index.open(place) as index:
            _search(index, FIRST, "smart")
            took.append(_search(index, query.query, _mode(query))[1])
    return took[0], took[1]


def _row(name: str, pairs: Sequence[tuple[float, float]]) -> list[str]:
    ratio = statistics.median(b / a for a, b in pairs)
    sums = sum(b for _, b in pairs) / sum(a for a, _ in pairs)
    times = [quantile([pair[which] for pair in pairs], 0.5) for which in (0, 1)]
    return [name, str(len(pairs)), *(f"{each:.2f}" for each in times), f"{ratio:.2f}", f"{sums:.2f}"]


def _mode(query: LabelledQuery) -> str:
    return "fuzzy" if "typo" in query.kind else "smart"


def _search(index: Index, text: str, mode: Any) -> tuple[dict[str, Any], float]:
    """Return (what lasts of the response, CPU ms)."""
    before = time.thread_time()
    response: SearchResponse = index.search(text, match=mode, now=0, budget_ms=UNHURRIED_MS)
    took = (time.thread_time() - before) * 1e3
    return {name: value for name, value in response.to_dict().items() if name not in ("elapsed_ms", "cpu_ms")}, took

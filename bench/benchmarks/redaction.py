"""How many made-up secrets does redaction miss, how much ordinary text does it hide, and what CPU does it take?"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.datasets import dataset
from bench.datasets.synthetic_secrets import FAMILIES, planted, survives
from bench.reporting.report import Report, Table
from recall_rank import Recall
from recall_rank.analysis.fields import searchable_fields
from recall_rank.analysis.text_edits import edited
from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.redaction.redact import secrets
from recall_rank.frontends.redaction.redacted_answers import hidden
from recall_rank.frontends.tools.dispatch import RecallTools
from recall_rank.model import Reading, Unit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from recall_rank.model import Session

LEAST_RECALL = 0.99
MOST_ALARMS = 1.0  # a megabyte
MOST_SHARE = 0.05  # of a search's CPU
ROUNDS = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--secrets", type=int, default=1_000, help="made-up secrets a family (default %(default)s)")
    parser.add_argument("--calls", type=int, default=120, help="calls that are timed (default %(default)s)")
    parser.add_argument("--show", action="store_true", help="print what was taken for a secret")


def run(options: argparse.Namespace) -> Report:
    data = dataset.load(options)
    report = Report("redaction", __doc__ or "", data.name)
    _recall(report, options)
    _alarms(report, data.sessions, show=options.show)
    _cost(
        report, tuple(data.sessions), [one.query for one in data.queries[:: max(1, len(data.queries) // options.calls)]]
    )
    return report


def _recall(report: Report, options: argparse.Namespace) -> None:
    rows = []
    worst = 1.0
    for family in FAMILIES:
        drawn = random.Random(family)
        hidden_at_all = 0
        for one in planted(family, options.secrets, options.seed):
            middle, width = drawn.randrange(one.start, one.end), drawn.choice([50, 200, 1_000])
            low = max(0, middle - drawn.randrange(width))
            cuts = [(0, len(one.text)), (low, min(len(one.text), low + width))]
            shown = (edited(one.text, hidden(one.text, *cut), *cut).text for cut in cuts)
            hidden_at_all += not any(survives(one, text) for text in shown)
        share = hidden_at_all / options.secrets
        worst = min(worst, share)
        rows.append([family, f"{options.secrets:,}", f"{share:.2%}"])
    report.tables.append(Table("secrets that do not survive, whole and cut", ["family", "n", "hidden"], rows))
    report.add("hidden, worst family", worst, "", "higher", 0.005, options.secrets)
    report.check(f"at least {LEAST_RECALL:.0%} of every family are hidden", worst >= LEAST_RECALL, f"{worst:.2%}")


def _alarms(report: Report, sessions: Iterable[Session], *, show: bool) -> None:
    found: Counter[str] = Counter()
    size, before = 0, time.process_time()
    for text in (text for s in sessions for m in s.messages for part in m.parts for _, text in searchable_fields(part)):
        size += len(text)
        for start, end, family in secrets(text):
            found[family] += 1
            if show:
                print(f"  {family}: {text[max(0, start - 40) : end + 10]!r}")
    seconds = time.process_time() - before
    alarms = found.total() / (size / 1e6)
    rows = [[family, str(count)] for family, count in found.most_common()]
    report.tables.append(Table(f"taken for secrets in {size / 1e6:.1f} MB", ["family", "n"], rows))
    report.add("alarms", alarms, "/MB", "lower", 0.1, size)
    report.add("whole texts", size / 1e6 / seconds, "MB/s", "higher", 0.3)
    report.check(f"at most {MOST_ALARMS:g} a MB of ordinary text", alarms <= MOST_ALARMS, f"{alarms:.2f}")


@dataclass(frozen=True, slots=True)
class _Given:
    """Sessions as a source."""

    sessions: Sequence[Session]
    name: str = "given"
    location: str = "given"

    def units(self) -> list[Unit]:
        return [Unit("all", self.location)]

    def signature(self, unit: Unit) -> bytes:
        return b"1"

    def read(self, unit: Unit, since: bytes | None = None) -> Reading:
        return Reading(list(self.sessions))


def _cost(report: Report, sessions: Sequence[Session], queries: Sequence[str]) -> None:
    plain = redacting = 0.0
    with Recall([_Given(sessions)]) as recall:
        tools = RecallTools(recall)
        for number, query in enumerate(queries):
            best = {False: float("inf"), True: float("inf")}
            for turn in range(2 * ROUNDS):  # interleaved, so that other load affects both
                redact = bool((turn + number) % 2)
                best[redact] = min(best[redact], _seconds(tools, query, redact=redact))
            plain += best[False]
            redacting += best[True]
    share = redacting / plain - 1
    rows = [[f"{plain / len(queries) * 1e3:.2f}", f"{redacting / len(queries) * 1e3:.2f}", f"{share:.1%}"]]
    report.tables.append(Table("CPU ms of a call of recall for ten results", ["plain", "redacted", "more"], rows))
    report.add("share of a call", share, "", "lower", 0.5, len(queries))
    report.check(f"at most {MOST_SHARE:.0%} of a call", share <= MOST_SHARE, f"{share:.1%}")


def _seconds(tools: RecallTools, query: str, *, redact: bool) -> float:
    before = time.thread_time()
    answer = tools.call("recall", {"query": query, "match": "smart"}, options=HostOptions(redact=redact))
    spent = time.thread_time() - before
    assert answer["ok"]
    return spent

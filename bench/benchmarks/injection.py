"""How many injected instructions does the scanner of notes miss, and how often does it take ordinary text for one?"""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from bench.datasets.history_files import HISTORIES, read_history
from bench.datasets.injection import development_first, development_second, held_out
from bench.reporting.report import Report, Table
from recall_rank.frontends.notes import scanner
from recall_rank.frontends.notes.plain_words import folded_text
from recall_rank.frontends.notes.scanner import scan

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from bench.datasets.injection.texts import InjectionText
    from recall_rank.model import Session

    Detects = Callable[[str], bool]

LEAST_RECALL = {"first": 0.85, "second": 0.55, "held out": 0.6}  # just below what is measured: less is a regression
MOST_BENIGN = 0.03  # share of the harmless texts
MOST_ALARMS = 0.5  # in 1,000 messages

# The scanner of memo-agent, written anew from a description of its nine expressions.
_MEMO_AGENT: Final = tuple(
    re.compile(expression, 0 if expression == r"\bDAN\b" else re.IGNORECASE)
    for expression in (
        r"ignore\s+(?:all\s+|previous\s+|above\s+)?instructions",
        r"disregard\s+(?:your|all|any)\s+(?:instructions|rules|guidelines)",
        r"you\s+are\s+now\s+(?:a\s+|an\s+)?(?:different|new|unrestricted|jailbroken|evil|uncensored)",
        r"act\s+as\s+if\s+you\s+have\s+no\s+(?:restrictions|limits)",
        r"reveal\s+(?:your\s+)?(?:system\s+)?prompt",
        r"new\s+persona",
        r"\bDAN\b",
        r"curl\s+[^\n]*\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|API)",
        r"cat\s+[^\n]*(?:\.env|credentials|\.netrc)",
    )
)


def _of_ours(text: str) -> bool:
    return bool(scan(text))


def _of_memo_agent(text: str) -> bool:
    return any(expression.search(text) for expression in _MEMO_AGENT)


ENGINES: Final[dict[str, Detects]] = {"ours": _of_ours, "memo-agent": _of_memo_agent}


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--history", type=Path, help="folder with history.jsonl[.gz|.xz], whose messages count as ordinary text"
    )
    parser.add_argument("--show", action="store_true", help="print misses and alarms")


def run(options: argparse.Namespace) -> Report:
    halves = {"first": development_first, "second": development_second, "held out": held_out}
    report = Report("injection", __doc__ or "", "written texts")
    attacks = {half: module.ATTACKS for half, module in halves.items()}
    harmless = {half: module.BENIGN for half, module in halves.items()}
    ours = _table(report, "attacks that are found", "recall", attacks, "higher")
    alarms = _table(report, "harmless texts that are taken for attacks", "false alarms", harmless, "lower")
    for half, least in LEAST_RECALL.items():
        share = next(each.value for each in report.figures if each.name == f"recall, {half}, ours")
        report.check(f"at least {least:.0%} of the attacks of set {half} are found", share >= least, f"{share:.1%}")
    report.check("more attacks are found than by memo-agent", ours["ours"] > ours["memo-agent"], "")
    report.check(f"at most {MOST_BENIGN:.0%} of harmless texts", alarms["ours"] <= MOST_BENIGN, "")
    _with_fewer_words(report, {half: attacks[half] for half in ("first", "second")})
    if options.show:
        for half in halves:
            _show(attacks[half], harmless[half])
    if options.history is not None or HISTORIES.is_dir():
        _history(report, read_history(options.history or HISTORIES), show=options.show)
    return report


def _table(
    report: Report,
    title: str,
    figure: str,
    halves: dict[str, tuple[InjectionText, ...]],
    better: Literal["higher", "lower"],
) -> dict[str, float]:
    """Add the table of texts by half and category; return the share of all that each engine finds."""
    rows = []
    found: Counter[str] = Counter()
    for half, texts in halves.items():
        hits = {name: Counter(one.category for one in texts if detects(one.text)) for name, detects in ENGINES.items()}
        counts = Counter(one.category for one in texts)
        for category, count in (*counts.items(), ("all", counts.total())):
            of_each = [hits[name].total() if category == "all" else hits[name][category] for name in ENGINES]
            rows.append([half, category, str(count), *(f"{hit} ({hit / count:.0%})" for hit in of_each)])
        for name in ENGINES:
            found[name] += hits[name].total()
            report.add(f"{figure}, {half}, {name}", hits[name].total() / len(texts), "", better, 0.02, len(texts))
    report.tables.append(Table(title, ["set", "category", "n", *ENGINES], rows))
    total = sum(map(len, halves.values()))
    return {name: found[name] / total for name in ENGINES}


_WORD: Final = re.compile(r"[^\W_]+")


def _with_fewer_words(report: Report, halves: dict[str, tuple[InjectionText, ...]]) -> None:
    """Add the share of each half that is found without any word of the lexicons that only this half has.

    This is what the scanner would find at least of attacks in other words: a list of synonyms that somebody wrote who
    knew the other half alone would hold many of these words as well. It says nothing about the choice of the rules.
    """
    rows = []
    words = {half: _words_of(texts) for half, texts in halves.items()}
    for half, texts in halves.items():
        others = set().union(*(words[other] for other in halves if other != half))
        with _forgotten(words[half] - others):
            found = sum(map(_of_ours, (one.text for one in texts)))
        report.add(f"recall without own words, {half}, ours", found / len(texts), "", "higher", 0.02, len(texts))
        rows.append([half, str(len(texts)), f"{found} ({found / len(texts):.0%})"])
    report.tables.append(Table("found without the words that only this half has", ["half", "n", "ours"], rows))


def _words_of(texts: Sequence[InjectionText]) -> set[str]:
    return {word for one in texts for word in _WORD.findall(folded_text(one.text).text)}


@contextmanager
def _forgotten(words: AbstractSet[str]) -> Iterator[None]:
    """Take the phrases with one of these words out of the scanner's table for the time of the block."""
    table = scanner.PHRASES
    known = {
        first: [phrase for phrase in phrases if not words & set(phrase.rest)]
        for first, phrases in table.items()
        if first not in words and not (first.endswith("*") and any(word.startswith(first[:-1]) for word in words))
    }
    before = dict(table)
    table.clear()
    table.update(known)
    try:
        yield
    finally:
        table.clear()
        table.update(before)


def _show(attacks: Sequence[InjectionText], harmless: Sequence[InjectionText]) -> None:
    for one in attacks:
        if not scan(one.text):
            print(f"  missed, {one.category}: {one.text!r}")
    for one in harmless:
        for found in scan(one.text):
            print(f"  alarm, {one.category}: {found.rule}: {found.matched}")


def _history(report: Report, sessions: Sequence[Session], *, show: bool) -> None:
    """Count the alarms in the texts of a history, whose messages are ordinary but for those that a person marks."""
    messages = size = 0
    hit: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    seconds = 0.0
    for texts in _messages(sessions):
        messages += 1
        size += sum(map(len, texts))
        before = time.process_time()
        found = [each for text in texts for each in scan(text)]
        seconds += time.process_time() - before
        hit["ours"] += bool(found)
        hit["memo-agent"] += any(map(_of_memo_agent, texts))
        rules.update({each.rule for each in found})
        if show:
            for each in found:
                print(f"  alarm, history: {each.rule}: {each.matched}")
    megabytes = max(size, 1) / 1e6
    rows = [
        [name, str(hit[name]), f"{hit[name] / max(messages, 1) * 1e3:.2f}", f"{hit[name] / megabytes:.2f}"]
        for name in ENGINES
    ]
    title = f"messages taken for attacks among {messages:,} of a history, {megabytes:.1f} MB"
    report.tables.append(Table(title, ["engine", "n", "in 1,000 messages", "in a MB"], rows))
    report.tables.append(Table("rules that found them", ["rule", "n"], [[k, str(n)] for k, n in rules.most_common()]))
    alarms = hit["ours"] / max(messages, 1) * 1e3
    report.add("alarms in 1,000 messages", alarms, "", "lower", 0.2, messages)
    report.add("scanned", megabytes / max(seconds, 1e-9), "MB/s", "higher", 0.3)
    report.check(f"at most {MOST_ALARMS:g} alarms in 1,000 messages", alarms <= MOST_ALARMS, f"{alarms:.2f}")


def _messages(sessions: Sequence[Session]) -> Iterator[list[str]]:
    """Yield the texts of each message that has any."""
    for session in sessions:
        for message in session.messages:
            texts = [part.text for part in message.parts if part.type == "text" and part.text]
            if texts:
                yield texts

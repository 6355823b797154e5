"""Is a piece of a remark found in every script, also misspelt, spaced otherwise or in another Unicode form?"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from bench import engines
from bench.datasets import generate
from bench.datasets.remarks import REMARKS, SPACED
from bench.engines import Engine, HasModes
from bench.reporting.report import Report, Table
from recall_rank.model import Match, Message, Part, Session

if TYPE_CHECKING:
    import argparse

Ask = Callable[[str, str, random.Random], str]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engines", default="ours", help="names or module:Class, comma separated")
    parser.add_argument("--each", type=int, default=12, help="queries of each way for a remark (default %(default)s)")
    parser.add_argument("--parts", type=int, default=2_000, help="parts of other text around (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    report = Report("nonlatin", __doc__ or "", f"made-up remarks among {options.parts:,} generated parts")
    for name in options.engines.split(","):
        engine = engines.create(name)
        engine.build(history(options.parts))
        rows = [[script, *_cells(report, engine, script, options.each)] for script in REMARKS]
        columns = ["script", *(f"{way} first / ten" for way in WAYS)]
        report.tables.append(Table(f"queries whose remark is first, among ten, of all, {engine.name}", columns, rows))
    return report


def history(parts: int) -> Iterator[Session]:
    """Yield a generated history, then one session for each script, a message for each remark."""
    yield from generate.sessions(parts)
    for script, remarks in REMARKS.items():
        messages = [
            Message(f"{script}.{place}", "user", generate.START, [Part(f"{script}.{place}.p", "text", remark)])
            for place, remark in enumerate(remarks)
        ]
        yield Session(script, messages, title=script)


def _cells(report: Report, engine: Engine, script: str, each: int) -> Iterator[str]:
    for way, (ask, match) in WAYS.items():
        first = ten = asked = 0
        lost = []
        for place, query in queries(script, ask, each):
            found = [hit.part for hit in _search(engine, query, match)]
            asked += 1
            first += found[:1] == [f"{script}.{place}.p"]
            if f"{script}.{place}.p" in found:
                ten += 1
            else:
                lost.append(query)
        if asked:
            report.add(f"{engine.name}/{script}/{way}", ten / asked, "share", "higher", 0.0, asked)
        if way == "sub-phrase" and engine.name == "ours":
            report.check(f"{script}: every sub-phrase found", not lost, " | ".join(lost[:3]))
        yield f"{first} / {ten} of {asked}"


def _search(engine: Engine, query: str, match: Match) -> Iterable[engines.Hit]:
    return engine.search_mode(query, 10, match) if isinstance(engine, HasModes) else engine.search(query, 10)


def queries(script: str, ask: Ask, each: int) -> Iterator[tuple[int, str]]:
    """Yield distinct queries of one way, each with the number of its remark."""
    chance = random.Random(script)
    for place, remark in enumerate(REMARKS[script]):
        yield from (
            (place, query) for query in dict.fromkeys(ask(remark, script, chance) for _ in range(each)) if query
        )


def sub_phrase(remark: str, script: str, chance: random.Random) -> str:
    """Return two to four adjacent words, or four to eight adjacent letters in scripts without spaces."""
    if script in SPACED and script != "glued":
        said = remark.split()
        size = min(len(said), chance.randint(2, 4))
        start = chance.randint(0, len(said) - size)
        return " ".join(said[start : start + size])
    size = chance.randint(4, 8)
    start = chance.randint(0, max(0, len(remark) - size))
    return _whole(remark, start, start + size)


def _whole(text: str, start: int, end: int) -> str:
    """Return the slice, extended so that it separates no letter from its marks and cuts no Latin word."""
    while start > 0 and _joined(text[start - 1], text[start]):
        start -= 1
    while end < len(text) and _joined(text[end - 1], text[end]):
        end += 1
    return text[start:end].strip()


def _joined(left: str, right: str) -> bool:
    marked = bool(unicodedata.combining(right)) or unicodedata.category(right) in {"Mn", "Lm"}
    return marked or (left.isascii() and right.isascii() and left.isalnum() and right.isalnum())


def typo(remark: str, script: str, chance: random.Random) -> str:
    """Return a sub-phrase with two letters of its longest word swapped, or "" when its words are short."""
    said = sub_phrase(remark, script, chance).split()
    at = max(range(len(said)), key=lambda place: len(said[place]), default=0)
    if not said or len(said[at]) < 5:
        return ""
    word = said[at]
    cut = chance.randint(1, len(word) - 3)
    said[at] = word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :]
    return " ".join(said) if said[at] != word else ""


def separated(remark: str, script: str, chance: random.Random) -> str:
    """Return a sub-phrase with hyphens for its blanks, or with a blank in its middle when it has none."""
    piece = sub_phrase(remark, script, chance)
    if " " in piece:
        return piece.replace(" ", "-")
    middle = len(piece) // 2
    return f"{piece[:middle]} {piece[middle:]}"


def composed(remark: str, script: str, chance: random.Random) -> str:
    """Return a sub-phrase in another Unicode form: NFKC where that changes it, else NFD."""
    piece = sub_phrase(remark, script, chance)
    other = unicodedata.normalize("NFKC", piece)
    return other if other != piece else unicodedata.normalize("NFD", piece)


def cased(remark: str, script: str, chance: random.Random) -> str:
    """Return a sub-phrase in capitals, or "" in scripts without them."""
    piece = sub_phrase(remark, script, chance)
    return piece.upper() if piece.upper() != piece else ""


WAYS: dict[str, tuple[Ask, Match]] = {
    "sub-phrase": (sub_phrase, "smart"),
    "typo": (typo, "fuzzy"),
    "separator": (separated, "smart"),
    "other form": (composed, "smart"),
    "capitals": (cased, "smart"),
}

"""How many tokens do three zones save over 100 rounds of a conversation, and which planted facts survive?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bench.datasets.conversations.long_conversation import (
    DECISION,
    PLANTED,
    ChatMessage,
    LongConversation,
    long_conversation,
)
from bench.reporting.report import Report, Table
from recall_rank.frontends.compression.compress import compress
from recall_rank.frontends.compression.conversation import blocks_of, tokens_of
from recall_rank.frontends.transcripts.statistics import estimated_tokens

if TYPE_CHECKING:
    import argparse

    from bench.datasets.conversations.long_conversation import PlantedFact

LEAST_SAVED = 0.55
WAYS = ("none", "three zones", "truncation")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", default="1,2,3", help="conversations, comma separated (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=100, help="rounds of each (default %(default)s)")
    parser.add_argument(
        "--window", type=int, default=128_000, help="tokens of the model's window (default %(default)s)"
    )
    parser.add_argument("--show", action="store_true", help="print the marked decisions that did not survive")


def run(options: argparse.Namespace) -> Report:
    seeds = [int(seed) for seed in options.seeds.split(",")]
    report = Report(
        "compress", __doc__ or "", f"{options.rounds} rounds, window {options.window:,}, seeds {options.seeds}"
    )
    runs = [_Run(long_conversation(seed, options.rounds), options.window) for seed in seeds]
    for each in runs:
        each.go()
        if options.show:
            print(*(f"  lost: {fact.sentence}" for fact in each.lost(DECISION)), sep="\n")
    _tokens(report, seeds, runs)
    _facts(report, runs)
    return report


@dataclass(slots=True)
class _Run:
    """One conversation, sent round by round in three ways: whole, compressed, and cut to the same size."""

    conversation: LongConversation
    window: int
    sent: dict[str, list[int]] = field(default_factory=lambda: {way: [] for way in WAYS})  # tokens, a round
    left: dict[str, list[ChatMessage]] = field(default_factory=dict)
    compressions: int = 0
    broken: int = 0

    def go(self) -> None:
        """Send every round; then compress once more, so that each way is judged right after it left something out."""
        states = {way: [self.conversation.system] for way in WAYS}
        for number, messages in enumerate(self.conversation.rounds):
            for state in states.values():
                state.extend(messages)
            last = number == len(self.conversation.rounds) - 1
            for way in WAYS:
                self.sent[way].append(_size(states[way]))
            made = compress(states["three zones"], self.window, force=last)
            if made.changed:
                self.compressions += 1
                states["three zones"] = [dict(each) for each in made.messages if not hasattr(each, "parts")]
                states["truncation"] = truncated(states["truncation"], made.after.tokens)
                self.broken += sum(orphans(states[way]) for way in WAYS[1:])
        self.left = states

    def survivors(self, way: str) -> Counter[str]:
        """Return how many facts of each kind stand in what one way would send next."""
        texts = [text for message in self.left[way] for text in _texts(message)]
        return Counter(fact.kind for fact in self.conversation.facts if fact.stands_in(texts))

    def lost(self, kind: str) -> Iterator[PlantedFact]:
        """Yield the facts of a kind that three zones have lost."""
        texts = [text for message in self.left["three zones"] for text in _texts(message)]
        yield from (fact for fact in self.conversation.facts if fact.kind == kind and not fact.stands_in(texts))


def truncated(messages: Sequence[ChatMessage], tokens: int) -> list[ChatMessage]:
    """Return the system message and the newest whole rounds that have at most `tokens` tokens together."""
    starts = [at for at, each in enumerate(messages) if each["role"] == "user"]
    left = tokens - _size(messages[:1])
    kept = next((at for at in starts if _size(messages[at:]) <= left), len(messages))
    return [*messages[:1], *messages[kept:]]


def orphans(messages: Sequence[ChatMessage]) -> int:
    """Return how many results of tools stand without their call before them."""
    called: set[str] = set()
    missing = 0
    for each in messages:
        called.update(call["id"] for call in each.get("tool_calls") or ())
        missing += each["role"] == "tool" and each["tool_call_id"] not in called
    return missing


def _tokens(report: Report, seeds: Sequence[int], runs: Sequence[_Run]) -> None:
    rows = []
    saved = []
    for seed, each in zip(seeds, runs, strict=True):
        whole = sum(each.sent["none"])
        for way in WAYS:
            sent = each.sent[way]
            less = 1 - sum(sent) / whole
            rows.append(
                [f"{seed} {way}", f"{sum(sent) / len(sent):,.0f}", f"{max(sent):,}", f"{sum(sent):,}", f"{less:.1%}"]
            )
        capped = sum(min(size, each.window) for size in each.sent["none"])
        saved.append(1 - sum(each.sent["three zones"]) / whole)
        report.add(
            f"saved beside a full window, seed {seed}", 1 - sum(each.sent["three zones"]) / capped, "", "higher", 0.02
        )
        rows.append([f"{seed} none, within the window", f"{capped / len(each.sent['none']):,.0f}", f"{each.window:,}",
                     f"{capped:,}", f"{1 - capped / whole:.1%}"])  # fmt: skip
        report.add(f"saved, seed {seed}", saved[-1], "", "higher", 0.02, len(each.sent["none"]))
    columns = ["seed and way", "tokens a round", "largest round", "in all", "saved"]
    report.tables.append(Table("estimated tokens sent, one request a round", columns, rows))
    worst = min(saved)
    report.check(f"three zones save at least {LEAST_SAVED:.0%} for every seed", worst >= LEAST_SAVED, f"{worst:.1%}")
    most = max(max(each.sent["three zones"]) for each in runs)
    report.check("no round of three zones is larger than the window", most <= runs[0].window, f"{most:,}")
    report.check("no result of a tool without its call", not any(each.broken for each in runs))
    report.check("every conversation is compressed twice or more", min(each.compressions for each in runs) >= 2)


def _facts(report: Report, runs: Sequence[_Run]) -> None:
    counts = {way: sum((each.survivors(way) for each in runs), Counter[str]()) for way in WAYS}
    planted = Counter(fact.kind for each in runs for fact in each.conversation.facts)
    rows = [
        [kind, f"{planted[kind]}", *(f"{counts[way][kind]} ({counts[way][kind] / planted[kind]:.0%})" for way in WAYS)]
        for kind in PLANTED
    ]
    report.tables.append(Table("planted facts that stand in what is sent next", ["kind", "planted", *WAYS], rows))
    for kind in PLANTED:
        report.add(f"{kind} kept by three zones", counts["three zones"][kind] / planted[kind], "", "higher", 0.05)
    kept, marked = counts["three zones"][DECISION], planted[DECISION]
    report.check("three zones keep every decision that is marked as one", kept == marked, f"{kept} of {marked}")
    report.check("nothing is lost without compression", counts["none"] == planted)


def _texts(message: ChatMessage) -> Iterator[str]:
    """Yield the texts of a message and the arguments of its calls."""
    yield from (block["text"] for block in blocks_of(message.get("content")))
    yield from (call["function"]["arguments"] for call in message.get("tool_calls") or ())


def _size(messages: Sequence[ChatMessage]) -> int:
    return sum(tokens_of(each, estimated_tokens) for each in messages)

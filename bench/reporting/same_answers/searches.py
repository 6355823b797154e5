"""The searches that both checkouts are asked: every query in every way of asking."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.datasets.generate import mentions
from bench.datasets.history_files import find_history, read_queries
from bench.datasets.label import label
from bench.reporting.same_answers.corpora import generated_transcripts, read_transcripts, write_sessions, write_steps
from bench.reporting.same_answers.draws import Draws

LONGEST_PATTERN: Final = 300  # characters of a query that are escaped into a regular expression
SCORES_INTERVAL: Final = 10  # one query in so many is also asked for Index.scores
PER_KIND: Final = 60  # labelled queries of each kind


@dataclass(frozen=True, slots=True)
class Sizes:
    """The number of parts of the generated history, and the number of queries asked of each corpus."""

    parts: int
    generated: int
    real: int


FULL: Final = Sizes(parts=10_000, generated=900, real=600)
QUICK: Final = Sizes(parts=2_000, generated=150, real=100)


@dataclass(frozen=True, slots=True)
class CorpusSearch:
    """One search of one corpus.

    `index` is "memory", "opened" (saved and opened) or "segments" (refreshed on disk in several steps); `number` is the
    number of the query within the corpus.
    """

    corpus: str
    index: str
    way: str
    number: int
    query: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def group(self) -> str:
        """The name under which answers are counted."""
        return f"{self.corpus}/{self.index}/{self.way}"


def read_searches(path: Path) -> Iterator[CorpusSearch]:
    """Yield the searches of a file that `prepare` wrote."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield CorpusSearch(**json.loads(line))


def prepare(data: Path | None, folder: Path, sizes: Sizes, seed: int) -> None:
    """Write the corpora and searches.jsonl into `folder`.

    The generated corpus is always there; the real one is, when `data` is a folder with a history and its queries.
    """
    transcripts = generated_transcripts(sizes.parts, seed)
    (folder / "generated").mkdir()
    write_sessions(transcripts, folder / "generated" / "sessions.jsonl")
    write_steps(transcripts, folder / "generated" / "steps", seed)
    draws = Draws(transcripts, seed)
    labelled = [query.query for query in label(mentions(sizes.parts, seed), seed, PER_KIND)]
    drawn = sizes.generated * 2 // 5
    queries = [*_evenly_spaced(labelled, sizes.generated - drawn), *draws.queries(drawn)]
    searches = [*searches_of("generated", queries, draws)]
    if data is not None:
        history = find_history(data)
        (folder / "real").mkdir()
        shutil.copy(history, folder / "real" / history.name)  # the checkouts read it with their loader
        transcripts = read_transcripts(history)
        write_steps(transcripts, folder / "real" / "steps", seed)
        draws = Draws(transcripts, seed)
        labelled = [query.query for query in read_queries(data / "queries.jsonl")]
        drawn = sizes.real // 12
        queries = [*_evenly_spaced(labelled, sizes.real - drawn), *draws.queries(drawn)]
        searches += searches_of("real", queries, draws)
    with (folder / "searches.jsonl").open("w", encoding="utf-8") as file:
        for search in searches:
            file.write(json.dumps(asdict(search)) + "\n")


def _evenly_spaced(queries: Sequence[str], count: int) -> list[str]:
    """Return `count` of the queries at equal distances, or all of them when there are no more."""
    if count >= len(queries):
        return list(queries)
    return [queries[at * len(queries) // count] for at in range(count)]


def searches_of(corpus: str, queries: Sequence[str], draws: Draws) -> Iterator[CorpusSearch]:
    """Yield every search of a corpus: all ways of asking its index in memory, some ways of asking the other indexes."""
    for number, query in enumerate(queries):
        words = query.replace('"', " ").split() or ["nothing"]
        half = max(1, (len(words) + 1) // 2)
        ways: dict[str, dict[str, Any]] = {
            "smart": {},
            "session": {"group": "session"},
            "literal": {"match": "literal"},
            "fuzzy": {"match": "fuzzy"},
            "page 2": {"offset": 10},
            "time": {"order": "time"},
            "wide": {"width": 600, "results": 50},
            "explain": {"explain": True},
            "filtered": draws.filtered(number),
            "presented": draws.presented(number),
            "mixed": draws.mixed(),
        }
        now = {"now": draws.now}
        ways = {way: options | now for way, options in ways.items()}
        for way, options in ways.items():
            yield CorpusSearch(corpus, "memory", way, number, query, options)
        pattern = re.escape(query[:LONGEST_PATTERN])
        yield CorpusSearch(corpus, "memory", "regex", number, pattern, {"match": "regex"} | now)
        quoted = f'"{" ".join(words[:half])}" {" ".join(words[half:])}'.strip()
        yield CorpusSearch(corpus, "memory", "quoted", number, quoted, now)
        for way in ("smart", "session", "literal", "fuzzy", "time", "explain", "filtered", "mixed"):
            yield CorpusSearch(corpus, "segments", way, number, query, ways[way])
        if corpus == "generated":
            for way in ("smart", "session", "literal", "fuzzy"):
                yield CorpusSearch(corpus, "opened", way, number, query, ways[way])
            if number % SCORES_INTERVAL == 0:
                yield CorpusSearch(corpus, "memory", "scores", number, query, now)
                yield CorpusSearch(corpus, "segments", "scores", number, query, now)

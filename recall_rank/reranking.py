"""rerank: a score for every text of a list, such as the results of another search."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar, Unpack, cast, get_args

from recall_rank.index.reader.index_reader import IndexReader
from recall_rank.index.segment.build import build
from recall_rank.model.record_classes import frozen
from recall_rank.model.texts import text_list, text_of, text_session
from recall_rank.search.engine import run
from recall_rank.search.options import MAX_RESULTS, RerankOptions, SearchOptions, parse_options
from recall_rank.search.query import Query
from recall_rank.search.types import PageEntry

Item = TypeVar("Item", bound=str | Mapping[str, Any])
RerankOrder = Literal["relevance", "input"]
_ACCEPTED: Final = RerankOptions.__annotations__.keys()


@frozen
class Reranked(Generic[Item]):
    """A text of the list that rerank() was given, and its score."""

    item: Item
    index: int  # its place in the list
    score: float  # 0 to 1, the chance that it is relevant; 0 when it is no hit
    stage: str  # what ranked it, as Result.stage; "none" when it is no hit


def rerank(
    query: str,
    texts: Iterable[Item],
    *,
    key: str = "text",
    order: RerankOrder = "relevance",
    **options: Unpack[RerankOptions],
) -> list[Reranked[Item]]:
    """Return every text with its score for `query`: best first, or with order="input" in the order of `texts`.

    A text is a string, or a mapping that has it under `key`. Scores and order are those of a search over
    Index.from_texts(texts); of equal texts, and among those that are no hit, the earlier comes first.

    Raises ValueError or TypeError for a bad query, text or option; the message names the value and what is accepted.
    """
    if order not in get_args(RerankOrder):
        raise ValueError(f"order must be 'relevance' or 'input', not {order!r}")
    if unknown := sorted(options.keys() - _ACCEPTED):
        raise TypeError(f"unknown option {', '.join(unknown)}; accepted are {', '.join(sorted(_ACCEPTED))}")
    items = text_list(texts)
    plain = [text_of(item, key, f"texts[{at}]") for at, item in enumerate(items)]
    # the earlier text has the later time, and is therefore the first of equals
    sessions = (text_session(str(at), text, len(plain) - at) for at, text in enumerate(plain))
    reader = IndexReader([build(sessions)])
    ranked: dict[int, Reranked[Item]] = {}
    for entry in _entries(reader, query, cast("SearchOptions", options)):
        at = entry.session  # sessions are numbered newest first, which is the order of the texts
        ranked[at] = Reranked(items[at], at, entry.candidate.score, entry.candidate.stage)
    if order == "relevance":
        others = (at for at in range(len(items)) if at not in ranked)
        return [*ranked.values(), *(_no_hit(items, at) for at in others)]
    return [ranked.get(at) or _no_hit(items, at) for at in range(len(items))]


def _entries(reader: IndexReader, query: str, options: SearchOptions) -> Iterator[PageEntry]:
    """Yield an entry for every hit, best first."""
    now = options.get("now")
    results = max(1, min(MAX_RESULTS, reader.parts))
    offset, total = 0, 1
    while offset < total:
        checked = parse_options({**options, "results": results, "offset": offset})
        found = run(reader, Query.parse(query, int(time.time() * 1000) if now is None else now, checked))
        yield from found.page
        offset, total = offset + results, found.total


def _no_hit(items: Sequence[Item], at: int) -> Reranked[Item]:
    return Reranked(items[at], at, 0.0, "none")

"""Build the SearchResponse of a search: results, coverage, totals, suggestions, and the trace where it is explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from recall_rank._core.rank.candidate import BOOSTS
from recall_rank._core.runtime.record_factory import RecordFactory
from recall_rank._core.search.column_filters import count_marks
from recall_rank.model import Count, Result, SearchResponse, Suggestion
from recall_rank.search.context import SearchContext
from recall_rank.search.deadline import DegradeKind
from recall_rank.search.filters.name_hints import shared_project_name, unknown_names, unmet_text
from recall_rank.search.filters.restrictions import Restrictions, contradictions
from recall_rank.search.query import Query
from recall_rank.search.ranking.query_names import query_names, word_starts
from recall_rank.search.results.coverage import coverage
from recall_rank.search.results.result import ResultMaker
from recall_rank.search.types import PageEntry

DEGRADED = (DegradeKind.TIME, DegradeKind.CALLER_LIMIT, DegradeKind.FALLBACK)
NAMED = 3  # words that a suggestion names
_response = RecordFactory(SearchResponse).make


def respond(search: SearchContext, cpu_ms: float) -> SearchResponse:
    """Make the response to a search whose stages have run; `cpu_ms` is the processor time of these, in ms."""
    options = search.query.options
    if search.reader.problems:
        search.degraded.add(DegradeKind.TIME)
    maker = ResultMaker.of(search)
    search.reader.fetch_parts(entry.candidate.part for entry in search.page)
    results = [maker.result(entry) for entry in search.page]
    suggestions = _suggestions(search, results)
    search.stages += ("snippet", "respond") if results else ("respond",)
    elapsed_ms = search.deadline.elapsed_ms()
    if elapsed_ms > options.budget_ms:  # an answer that comes late says so, also when nothing was left out
        search.degraded.add(DegradeKind.TIME)
    kinds = [kind for kind in DEGRADED if kind in search.degraded] if search.degraded else []
    return _response(
        results=results,
        query=search.query.asked,
        match_mode=options.match,
        group=options.group,
        total=search.total,
        total_exact=search.total_exact and not search.out_of_time,
        truncated=search.total > options.offset + len(results),
        coverage=coverage(search, results),
        degrade_kind=kinds[0] if kinds else DegradeKind.NONE,
        degrade_kinds=kinds,
        stages_run=tuple(search.stages),
        answerable=search.answerable,
        warnings=(
            *search.query.warnings,
            *contradictions(search.query, search.eligible.session_count.eligible),
            *shared_project_name(search.reader, search.query, search.eligible),
            *search.warnings,
            *(f"the shard {name!r} was not reached: {why}" for name, why in search.reader.problems.items()),
        ),
        suggestions=suggestions,
        near_misses=search.near_misses,
        load_errors=(),
        elapsed_ms=elapsed_ms,
        cpu_ms=cpu_ms,
        syntax=search.query.syntax,
        synonyms=_synonyms(search.query) if search.query.variants else {},
        trace=tuple(_trace(search, results)) if options.explain else (),
    )


def _trace(search: SearchContext, results: Sequence[Result]) -> Iterator[str]:
    """Yield a line for each stage of a search, in order: the name of the stage, then what it did, with counts."""
    options, words, hits = search.query.options, search.query.words, search.reranked
    plain = [word.written for word in words if not word.counts]
    yield _line(
        "parse",
        f"words {_quoted(word.written for word in words if word.counts) or 'none'}",
        plain and f"without weight {_quoted(plain)}",
        search.query.phrases and f"phrases {_quoted(search.query.phrases)}",
    )
    of = search.eligible
    limits = [name for count in (of.session_count, of.part_count) for name, left in count.skipped.items() if left]
    yield _line(
        "filter",
        f"sessions {of.session_count.eligible:,} of {of.session_count.known:,}",
        f"parts {of.part_count.eligible:,} of {of.part_count.known:,}",
        limits and f"left out by {', '.join(dict.fromkeys(limits))}",
    )
    yield _line("prefilter", *_found(search))
    if "score" not in search.stages:
        why = "the time for scoring ended" if search.total else "no hit"
        yield from (f"{stage}: not reached, {why}" for stage in ("score", "boost"))
    else:
        yield _line("score", f"passages measured {len(hits):,}", _comparison(search))
        raised = {name: sum(bool(share) for share in shares) for name, shares in _shares(search).items()}
        yield _line("boost", ", ".join(f"{name} {count:,}" for name, count in raised.items() if count) or "none")
    yield _line(
        "group",
        f"by {options.group}, hits {search.total:,}",
        search.copies and f"copies folded {sum(map(len, search.copies.values())):,}",
        search.titled and f"titles folded {len(search.titled):,}",
    )
    yield _line("snippet", f"{len(results):,} of at most {options.width:,} characters" if results else "none")
    yield _line("respond", f"answerable {search.answerable:.2f}", search.out_of_time and "out of time")


def _line(stage: str, *said: object) -> str:
    """Return a line of the trace; what is empty or false is left out."""
    return f"{stage}: {'; '.join(str(each) for each in said if each)}"


def _quoted(texts: Iterable[str]) -> str:
    return ", ".join(map(repr, texts))


def _found(search: SearchContext) -> Iterator[str]:
    """Yield what the prefilter, query expansion included, found candidates by."""
    expansion = search.expansion
    if not search.text_decides:
        yield from (f"{written!r} repaired to {_quoted(forms)}" for written, forms in expansion.repaired.items())
        if expansion.unknown:
            yield f"unknown {_quoted(expansion.unknown)}"
        yield f"hits by words {search.found:,}"
    if search.text_marks is not None:
        yield f"parts with the text {count_marks(search.text_marks):,}"
    if search.nearest is not None:
        yield f"near in meaning {len(search.nearest.best):,}"


def _comparison(search: SearchContext) -> str:
    """Return which names of the query rapidfuzz compared with those in the passages, or why none."""
    query = search.query
    if search.compared:
        starts, words = word_starts(query), query.words
        names = [
            query.text[starts[name.first] : starts[name.last - 1] + len(words[name.last - 1].written)]
            for name in search.compared
        ]
        return f"rapidfuzz compared {_quoted(names)}"
    if not query.weights.scorer:
        return "rapidfuzz not asked, the weight scorer is 0"
    if query_names(query, search.expansion):
        return "rapidfuzz not asked, the words stand as they were written"
    return "rapidfuzz not asked, the query has no name"


def _shares(search: SearchContext) -> dict[str, list[float]]:
    """Return what changes the scores of the reranked hits: for each boost, and each summand beside the evidence, its
    value in each hit.
    """
    hits = search.reranked
    shares = {name: [hit.boosts[at] for hit in hits] for at, name in enumerate(BOOSTS)}
    return {**shares, **{name: [getattr(hit, name) for hit in hits] for name in ("meaning", "others", "extra")}}


def _synonyms(query: Query) -> dict[str, tuple[str, ...]]:
    """Return the texts of the user's vocabulary that were searched, too, by the words that they stand for."""
    found: dict[str, tuple[str, ...]] = {}
    for variant in query.variants:
        if variant.synonym:
            words = " ".join(word.written for word in query.words[variant.at : variant.at + variant.span])
            found[words] = (*found.get(words, ()), variant.written)
    return found


def few(sessions: Count) -> str:
    """Return the text of a suggestion which says that only few sessions were searched, and what to do if more are
    there.
    """
    count = sessions.eligible
    searched = "no session was" if not count else "only 1 session was" if count == 1 else f"only {count} sessions were"
    return f"{searched} searched" + (": widen scope or filters" if count < sessions.known else "")


def _unwritten(search: SearchContext, results: Sequence[Result]) -> Iterator[str]:
    """Yield a sentence for each word of the query that no eligible document has and for which other spellings were
    searched.

    A name, that is, several words written as one, such as MapLibre, gets one sentence for all of its words. It says
    what was searched instead, or, if documents have each of the words, that no result holds the whole name. A name gets
    none where one of `results` has its words next to each other, unless some word of the name is in no document in any
    inflection.
    """
    named: set[str] = set()
    for name in search.expansion.names:
        pieces = [word.written for word in search.query.words[name.at : name.at + name.span]]
        named.update(pieces)
        if not name.absent and any(map(_holds(set(pieces)), search.page, results)):
            continue
        if name.missing and name.instead:
            yield _instead(search, name.written, name.instead)
        elif not name.missing:
            yield f"no result holds {name.written!r}, only parts of it"
    for written, forms in search.expansion.repaired.items():
        if written not in named:
            yield _instead(search, written, forms)


def _unknown(search: SearchContext) -> Iterator[str]:
    """Yield a sentence on the words of the query for which nothing was found, if there are some."""
    of_names = {name.at + k for name in search.expansion.names for k in range(name.span)}
    words = [word.written for at, word in enumerate(search.query.words) if at not in of_names]
    missed = [word for word in dict.fromkeys(search.expansion.unknown) if word in words]
    if missed:
        more = f" and {len(missed) - NAMED:,} more" if len(missed) > NAMED else ""
        named = f"{', '.join(map(repr, missed[:NAMED]))}{more}"
        yield f"{search.eligible.nobody_has} {named}; the hits are of the other words"


def _instead(search: SearchContext, written: str, forms: Sequence[str]) -> str:
    verb = "was" if len(forms) == 1 else "were"
    return f"{search.eligible.nobody_has} {written!r}; {', '.join(map(repr, forms[:NAMED]))} {verb} searched instead"


def _holds(pieces: set[str]) -> Callable[[PageEntry, Result], bool]:
    """Return a function that tells whether a result has all words of a name next to each other."""
    return lambda entry, result: entry.candidate.holds_names and pieces.issubset(result.matched_terms)


def _suggestions(search: SearchContext, results: Sequence[Result]) -> tuple[Suggestion, ...]:
    """Return at most three suggestions for the next search, the most promising first."""
    options = search.query.options
    found: list[Suggestion] = []
    if results and not search.text_decides:
        found += [Suggestion(text, "words_repaired") for text in _unwritten(search, results)]
        found += [Suggestion(text, "words_unknown") for text in _unknown(search)]
    if search.out_of_time:
        return tuple(found[:3])  # a part that was not searched may hold the query
    if not search.total:
        unknown = (*unknown_names(search.reader, search.query, search.eligible), *unmet_text(search.eligible))
        if unknown:
            return unknown  # another way of matching would find nothing either
        if options.directory and not options.fallback:
            text = "no hit in this directory: try fallback to search elsewhere too"
            found.append(Suggestion(text, "try_directory_fallback"))
        if options.match == "literal":
            found.append(Suggestion("no part holds this exact text: try match 'smart'", "try_smart"))
        if options.type != "all":
            found.append(Suggestion("no hit of this type: try type 'all'", "try_type_all"))
        if search.eligible.session_count.known and search.eligible.session_count.eligible <= 4:
            found.append(Suggestion(few(search.eligible.session_count), "few_sessions"))
    elif (
        len(results) == search.total
        and all(result.source == "title" for result in results)
        and not Restrictions.of(search.query).titles
    ):
        found.append(Suggestion("only titles match: read the session, or try other words", "title_only"))
    return tuple(found[:3])

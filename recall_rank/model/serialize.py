"""Convert the records of a search response to plain JSON values. Only this module names their JSON fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from recall_rank.model.response import CopyPlace, Count, Coverage, NearMiss, Result, Span, Unread, VectorCount, Why
from recall_rank.model.sessions import Flag
from recall_rank.model.sources import Malformed, SourceReport

MAX_DEPTH: Final = 128  # of a value that a caller gives; orjson writes 254 levels, and Python recurses about 1000 times
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_PLAIN: Final = (str, int, float, type(None))  # most values; asked first, since asking for a Mapping takes longer
_FLAG_NAMES: Final = tuple((flag, str(flag.name).lower()) for flag in Flag)


def json_kind(value: object) -> str:
    """Return the kind of a JSON value, with its article, for messages: "a list", "a number", "true or false"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    kinds = ((str, "a string"), (int | float, "a number"), (Mapping, "an object"), (Sequence, "a list"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "another value")


def error_to_dict(message: str) -> dict[str, Any]:
    """Return the JSON answer to a call that failed with `message`."""
    return {"ok": False, "error": repaired(message)}


def result_to_dict(result: Result) -> dict[str, Any]:
    """Return a result as JSON values; optional values that are absent or empty are left out."""
    entry: dict[str, Any] = {
        "session_id": repaired(result.session_id),
        "session_title": repaired(result.session_title),
        "directory": repaired(result.directory),
        "project": repaired(result.project),
        "message_id": repaired(result.message_id),
        "role": result.role,
        "time": result.time,
        "part_id": repaired(result.part_id),
        "part_type": repaired(result.part_type),
        "pruned": result.pruned,
        "snippet": repaired(result.snippet),
        "spans": [_span_to_dict(span) for span in result.spans],
        "field": result.field,
        "source": result.source,
        "history": repaired(result.history),
        "score": result.score,
        "stage": result.stage,
        "match_mode": result.match_mode,
        "matched_terms": texts(result.matched_terms),
        "directory_relevance": result.directory_relevance,
        "why": _why_to_dict(result.why),
    }
    if result.hit_count is not None:
        entry["hit_count"] = result.hit_count
        entry["hit_count_exact"] = result.hit_count_exact
    put(
        entry,
        agent=_optional(result.agent),
        host=_optional(result.host),
        user=_optional(result.user),
        tool_name=_optional(result.tool_name),
        author=_optional(result.author),
        title_match=_optional(result.title_match),
        flags=flag_names(result.flags),
        explain=dict(result.explain) if result.explain is not None else None,
        match_reasons=texts(result.match_reasons or ()),
        also_in=[_copy_to_dict(copy) for copy in result.also_in],
    )
    return entry


def coverage_to_dict(coverage: Coverage) -> dict[str, Any]:
    """Return a coverage as JSON values: counts of sessions, messages and parts, limits, and reports on sources.

    The counts are also given under the flat names that the original tool, opencode-session-recall, uses.
    """
    entry: dict[str, Any] = {
        "sessions": _count_to_dict(coverage.sessions),
        "messages": _count_to_dict(coverage.messages),
        "parts": _count_to_dict(coverage.parts),
        "sessions_discovered": coverage.sessions.known,
        "sessions_eligible": coverage.sessions.eligible,
        "sessions_searched": coverage.sessions.searched,
        "sessions_skipped": coverage.sessions.known - coverage.sessions.eligible,
        "messages_searched": coverage.messages.searched,
        "parts_searched": coverage.parts.searched,
        "stale_ms": coverage.stale_ms,
    }
    put(
        entry,
        skipped_by_reason=dict(coverage.sessions.skipped),
        limited_by=list(coverage.limited_by),
        directory_buckets_searched=list(coverage.directory_buckets),
        directory_bucket_counts=dict(coverage.directory_buckets),
        per_source=[source_to_dict(report) for report in coverage.per_source],
        vectors=None if coverage.vectors is None else vectors_to_dict(coverage.vectors),
        not_reached=[repaired(name) for name in coverage.not_reached],
        unread=None if coverage.unread is None else unread_to_dict(coverage.unread),
    )
    return entry


def unread_to_dict(unread: Unread) -> dict[str, Any]:
    """Return how much is not read yet as JSON values; a number that is not known is null."""
    return {"units": unread.units, "bytes": unread.bytes}


def vectors_to_dict(count: VectorCount) -> dict[str, Any]:
    """Return how many passages have a vector as JSON values."""
    return {"model": repaired(count.model), "passages": count.passages, "with_vector": count.with_vector}


def source_to_dict(report: SourceReport, *, verbose: bool = False) -> dict[str, Any]:
    """Return the report on reading a source as JSON values.

    Malformed records are counted; with `verbose`, each is listed with its place and the reason.
    """
    entry: dict[str, Any] = {
        "agent": repaired(report.agent),
        "location": repaired(report.location),
        "bytes": report.bytes,
        "sessions": report.sessions,
        "messages": report.messages,
        "parts": report.parts,
        "malformed": report.malformed_count,
        "failed": report.failed,
    }
    if report.newest:
        entry["newest"] = report.newest
    if report.kept:
        entry["kept"] = report.kept
    put(entry, errors=texts(report.errors), warnings=texts(report.warnings))
    if verbose:
        entry["malformed_records"] = [_malformed_to_dict(record) for record in report.malformed]
    return entry


def flag_names(flags: Flag) -> list[str]:
    """Return the names of the set flags, in lower case."""
    return [name for flag, name in _FLAG_NAMES if flag & flags]


def repaired(value: str) -> str:
    """Return the string with each lone surrogate replaced by U+FFFD, so that it can be encoded in UTF-8.

    Its length in characters is unchanged, so that offsets remain right.
    """
    return value if value.isascii() else _SURROGATE.sub("\ufffd", value)


def json_line(value: Any) -> bytes:
    """Return a JSON value, of mappings, sequences, strings, numbers, flags and None, as one line of JSON in UTF-8; lone
    surrogates, as an argument of a command line has them in place of bytes that are not UTF-8, become U+FFFD.
    """
    import orjson

    try:
        return orjson.dumps(value)
    except TypeError:  # raised for surrogates, too; they are rare, and looking for them takes longer than writing
        return orjson.dumps(repaired_value(value))


def repaired_value(value: Any) -> Any:
    """Return a JSON value with repaired() strings and names, also nested ones."""
    if isinstance(value, str):
        return repaired(value)
    if isinstance(value, Mapping):
        return {repaired_value(name): repaired_value(item) for name, item in value.items()}
    return [repaired_value(item) for item in value] if isinstance(value, list | tuple) else value


def too_deep(value: Any) -> bool:
    """Return whether lists and objects of a JSON value are nested deeper than MAX_DEPTH, as in a list that contains
    itself; functions that walk a value by recursion, such as repaired_value(), fail on those. Without recursion; each
    list and object is visited at most once a level.
    """
    level = {id(value): value} if _holds_values(value) else {}
    for _ in range(MAX_DEPTH):
        inner = (item for each in level.values() for item in (each.values() if isinstance(each, Mapping) else each))
        level = {id(item): item for item in inner if not isinstance(item, _PLAIN) and _holds_values(item)}
        if not level:
            return False
    return True


def _holds_values(value: Any) -> bool:
    return isinstance(value, Mapping | list | tuple)


def texts(values: Sequence[str]) -> list[str]:
    return [repaired(str(value)) for value in values]  # str: a Suggestion becomes a plain string


def _optional(value: str | None) -> str | None:
    return None if value is None else repaired(value)


def put(entry: dict[str, Any], **optional: Any) -> None:
    """Add to `entry` those named values that are neither None nor an empty string, list or mapping."""
    entry.update((name, value) for name, value in optional.items() if value is not None and value not in ("", [], {}))


def _count_to_dict(count: Count) -> dict[str, Any]:
    return {
        "known": count.known,
        "eligible": count.eligible,
        "searched": count.searched,
        "not_reached": count.not_reached,
        "skipped": dict(count.skipped),
    }


def _copy_to_dict(copy: CopyPlace) -> dict[str, str]:
    return {name: repaired(getattr(copy, name)) for name in ("source", "session_id", "message_id", "part_id")}


def _span_to_dict(span: Span) -> Mapping[str, int]:
    return {"start": span.start, "end": span.end, "text_start": span.text_start, "text_end": span.text_end}


def _why_to_dict(why: Why) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "matched_fields": texts(why.matched_fields),
        "matched_terms": texts(why.matched_terms),
        "directory_relevance": why.directory_relevance,
        "recency": why.recency,
        "confidence": why.confidence,
    }
    if why.matched_forms is not None:
        entry["matched_forms"] = {repaired(word): texts(forms) for word, forms in why.matched_forms.items()}
    return entry


def near_miss_to_dict(miss: NearMiss) -> dict[str, Any]:
    entry: dict[str, Any] = {"kind": miss.kind, "text": repaired(miss.text), "reason": repaired(miss.reason)}
    put(entry, session_id=_optional(miss.session_id))
    return entry


def _malformed_to_dict(record: Malformed) -> dict[str, Any]:
    texts = {"location": record.location, "place": record.place, "reason": record.reason}
    entry: dict[str, Any] = {name: repaired(text) for name, text in texts.items()}
    return entry if record.count == 1 else {**entry, "count": record.count}

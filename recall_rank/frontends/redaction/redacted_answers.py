"""Replace the secrets in answers of the tools and in responses of searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from typing import Any, Final

from recall_rank.analysis.text_edits import Edit
from recall_rank.frontends.redaction.redact import label, redacted, secrets
from recall_rank.model import SearchResponse, Session, SourceReport
from recall_rank.model.response import Suggestion

# Fields without secrets: ids, which must stay unchanged; what the caller wrote; words and numbers of this package;
# snippets, whose secrets the search has replaced before it cut them.
_SAFE_FIELDS: Final = frozenset(
    "ok id session_id message_id part_id query syntax synonyms snippet spans role field source stage match_mode group "
    "scope degrade_kind degrade_kinds stages_run directory_relevance flags coverage explain time pagination mode "
    "warning_categories suggestion_categories error_category kind matched_terms matched_fields recency "
    "confidence".split()
)
_MIN_CHARS: Final = 8  # of a secret
_RESULTS: Final = "results"
_OF_HITS: Final = (
    "why"  # a field of the results of `recall`; results of other tools have other fields, all of them read
)
_RESULT_TEXTS: Final = (
    *("session_title", "directory", "project", "history", "agent", "host", "user", "author", "tool_name", "part_type"),
)
# A response has the reports on sources in its coverage, unlike an answer; of malformed records it shows the number.
_SAFE_IN_RECORDS: Final = (_SAFE_FIELDS - {"coverage"}) | {"malformed"}
_SESSION_ID: Final = "session_id"  # an id is no text, but the name of a machine may stand behind it: see named_id()
_TOOL_INPUT: Final = "input"
_NAME_KEYS: Final = ("name", "key", "variable")  # in an object beside "value": {"name": "API_KEY", "value": "..."}
_MAY_HOLD: Final = (str, dict, list, tuple)  # and subclasses, as sources of other programs may give them
_NAME_WORDS: Final = (
    "key",
    "token",
    "secret",
    "cred",
    "authorization",
    "passw",
    "passphrase",
    "pwd",
)  # every name of a secret contains one
_CACHED_CHARS: Final = 512  # titles and folders are shorter, and come again in every answer


def hidden(text: str, low: int, high: int) -> list[Edit]:
    """Return the edits (start, end, replacement) that replace every secret in characters [low, high) of the text.
    Searches take this function as the value of their option `redact`.
    """
    return [(start, end, label(family)) for start, end, family in secrets(text, low, high)]


def without_secrets(value: Any, name: str | None = None) -> Any:
    """Return the JSON value with every secret replaced. Lists and objects are changed in place.

    `name` is the key of `value` in the object around it, None when there is none.
    """
    if isinstance(value, str):
        return value if len(value) < _MIN_CHARS else _redacted_value(name, value)
    if isinstance(value, dict):
        if name == _TOOL_INPUT:
            return _redacted_input(value)
        for key, item in value.items():
            if key not in _SAFE_FIELDS and isinstance(item, _MAY_HOLD):
                value[key] = without_secrets(item, key)
            elif key == _SESSION_ID and isinstance(item, str) and "@" in item:
                own, _, machine = item.rpartition("@")
                value[key] = f"{own}@{without_secrets(machine)}"
    elif isinstance(value, tuple):
        return [without_secrets(item, name) for item in value]
    elif isinstance(value, list):
        for at, item in enumerate(value):
            if name == _RESULTS and isinstance(item, dict) and _OF_HITS in item:
                _redact_result(item)
            else:
                value[at] = without_secrets(item, name)
    return value


def _redact_result(hit: dict[str, Any]) -> None:
    """Replace the secrets in one result of an answer of `recall`, in place; only fields with recalled text are read."""
    hit.update(_replaced_texts(tuple(map(hit.get, _RESULT_TEXTS))))
    for key in ("title_match", "also_in"):
        if key in hit:
            hit[key] = without_secrets(hit[key], key)
    forms = hit["why"].get("matched_forms") if "why" in hit else None
    if forms:
        hit["why"]["matched_forms"] = without_secrets(forms)


@lru_cache(maxsize=1_024)  # results of one session have equal texts, and sessions come again in later answers
def _replaced_texts(texts: tuple[str | None, ...]) -> tuple[tuple[str, str], ...]:
    """Return (field, text without secrets) for each field of _RESULT_TEXTS whose text has some; `texts` are in their
    order, None for a field that a result does not have.
    """
    shown = ((key, text, _replaced(key, text)) for key, text in zip(_RESULT_TEXTS, texts, strict=True) if text)
    return tuple((key, new) for key, text, new in shown if new != text)


def response_without_secrets(response: SearchResponse) -> SearchResponse:
    """Return the response with the secrets replaced in every text, in those of the reports on sources, too.

    Snippets are unchanged: the search replaced their secrets when it got the option `redact`.
    """
    shown: SearchResponse = _redacted_record(response)
    return shown


def report_without_secrets(report: SourceReport) -> SourceReport:
    """Return the report on a source with the secrets replaced in every text, in its malformed records, too."""
    shown: SourceReport = _redacted_record(report)
    return replace(shown, malformed=[_redacted_record(record) for record in report.malformed])


def session_without_secrets(session: Session) -> Session:
    """Return the session with the secrets replaced in every text of it and its messages; ids are unchanged."""
    shown: Session = _redacted_record(session)
    return shown


def _redacted_record(value: Any, name: str | None = None) -> Any:
    """Return a record, text, sequence or mapping with every secret replaced; `name` is its field."""
    if name in _SAFE_IN_RECORDS:
        return value
    if isinstance(value, Suggestion):
        return Suggestion(redacted(value), value.category)
    if isinstance(value, str):
        return _redacted_value(name, value)
    if is_dataclass(value) and not isinstance(value, type):
        known = {field.name: getattr(value, field.name) for field in fields(value)}
        return replace(value, **{each: _redacted_record(item, each) for each, item in known.items()})
    if isinstance(value, Mapping):
        return _redacted_input(value)
    return [_redacted_record(item, name) for item in value] if isinstance(value, list | tuple) else value


def _redacted_input(value: Any, name: str | None = None) -> Any:
    """Return the input of a tool call, or another value whose keys come from a history, with every secret replaced, in
    keys, too. No key is the name of a safe field here.

    `name` is the key of `value` in the object around it, or what stands beside the key "value" as its name.
    """
    if isinstance(value, str):
        return _redacted_value(name, value)
    if isinstance(value, Mapping):
        told = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), "value")
        return {redacted(key): _redacted_input(item, told if key == "value" else key) for key, item in value.items()}
    return [_redacted_input(item, name) for item in value] if isinstance(value, list | tuple) else value


def _redacted_value(name: str | None, value: str) -> str:
    """Return a string with its secrets replaced; `name` is its key. Results for short strings are cached."""
    return _cached(name, value) if len(value) <= _CACHED_CHARS else _replaced(name, value)


def _replaced(name: str | None, value: str) -> str:
    """Return a label if the key `name` marks the whole value as a secret, else the value with its secrets replaced."""
    if name and any(word in name.casefold() for word in _NAME_WORDS):
        from recall_rank.frontends.redaction.named_secrets import family_of  # loaded on first use

        family = family_of(name, value)
        if family:
            return label(family)
    return redacted(value)


_cached = lru_cache(maxsize=4_096)(_replaced)

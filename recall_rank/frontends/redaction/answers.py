"""The answers of the tools without the secrets in them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from recall_rank.analysis.text_edits import Edit
from recall_rank.frontends.redaction.redact import label, redacted, secrets
from recall_rank.model import SearchResponse

# Ids, which have to stay what they are; words and numbers of our own; snippets, from which secrets went before they
# were cut.
_KEPT: Final = frozenset(
    "ok id session_id message_id part_id query snippet spans role part_type type field source stage match_mode group "
    "agent scope degrade_kind degrade_kinds stages_run directory_relevance flags coverage explain time pagination mode "
    "warning_categories suggestion_categories error_category kind matched_terms matched_fields recency "
    "confidence".split()
)
_SHORTEST: Final = 8  # characters of a secret
_HITS: Final = "results"
_OF_A_HIT: Final = ("session_title", "directory", "project", "history", "author", "tool_name", "title_match")
_GIVEN_TO_TOOLS: Final = "input"
_MAY_HOLD: Final = (str, dict, list)
_TELLING: Final = ("key", "token", "secret", "cred", "authorization", "passw", "passphrase", "pwd")  # one in every name
_REMEMBERED: Final = 512  # characters of titles and folders, which come again in every answer


def hidden(text: str, low: int, high: int) -> list[Edit]:
    """The option `redact` of a search: every secret is replaced by what it was."""
    return [(start, end, label(family)) for start, end, family in secrets(text, low, high)]


def without_secrets(value: Any, name: str | None = None) -> Any:
    """The JSON value with every secret replaced; `name` is what it stands under. Lists and objects are changed."""
    kind = type(value)
    if kind is str:
        return value if len(value) < _SHORTEST else _shown(name, value)
    if kind is dict:
        if name == _GIVEN_TO_TOOLS:
            return _given(value)
        for key, item in value.items():
            if key not in _KEPT and type(item) in _MAY_HOLD:
                value[key] = without_secrets(item, key)
    elif kind is list:
        for at, item in enumerate(value):
            if name == _HITS and type(item) is dict:
                _clean_hit(item)
            else:
                value[at] = without_secrets(item, name)
    return value


def _clean_hit(hit: dict[str, Any]) -> None:
    """The same of one result, whose fields are known."""
    for key in _OF_A_HIT:
        item = hit.get(key)
        if item is not None:
            hit[key] = without_secrets(item, key)
    forms = hit["why"].get("matched_forms") if "why" in hit else None
    if forms:
        hit["why"]["matched_forms"] = without_secrets(forms)


def response_without_secrets(response: SearchResponse) -> SearchResponse:
    """The response to a search with `redact`, with secrets taken out of what its snippets do not show too."""
    results = [
        replace(
            result,
            session_title=redacted(result.session_title),
            directory=redacted(result.directory),
            title_match=None if result.title_match is None else redacted(result.title_match),
        )
        for result in response.results
    ]
    near = tuple(replace(miss, text=redacted(miss.text)) for miss in response.near_misses)
    return replace(response, results=results, near_misses=near, suggestions=tuple(map(redacted, response.suggestions)))


def _given(value: Any, name: str | None = None) -> Any:
    """The same of what a tool was given, whose names are nobody's promise."""
    if isinstance(value, str):
        return _shown(name, value)
    if isinstance(value, dict):
        return {redacted(key): _given(item, key) for key, item in value.items()}
    return [_given(item, name) for item in value] if isinstance(value, list) else value


def _shown(name: str | None, value: str) -> str:
    return _remembered(name, value) if len(value) <= _REMEMBERED else _replaced(name, value)


def _replaced(name: str | None, value: str) -> str:
    if name and any(word in name.casefold() for word in _TELLING):
        from recall_rank.frontends.redaction.names import family_of  # few answers need it

        family = family_of(name, value)
        if family:
            return label(family)
    return redacted(value)


_remembered = lru_cache(maxsize=4_096)(_replaced)

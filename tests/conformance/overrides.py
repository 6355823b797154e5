"""Cases in which this package differs from the original on purpose, with the reason for each."""

from __future__ import annotations

from typing import NamedTuple


class Override(NamedTuple):
    case: str  # a pattern of case ids
    paths: tuple[str, ...]  # facts that need not hold
    reason: str


OVERRIDES: tuple[Override, ...] = (
    Override(
        "directory-fallback-project-scope-global-off",
        ("coverage.directory_buckets_searched",),
        "a session of the project's worktree is near whichever list delivered it, so nothing lies in the third bucket",
    ),
    Override(
        "extract-tool-input-json",
        ("suggestion_categories", "results[*].part_id", "results[0].why.matched_fields"),
        "what a tool was given is searched value by value, as the neutral format says: quotes and braces of JSON are"
        " nobody's words, and a key that is on every call would be a hit on every call",
    ),
    Override(
        "extract-input-json-cut-at-10000",
        ("suggestion_categories", "results[*].part_id"),
        "the end of a long input is found like its beginning",
    ),
    Override(
        "raw-explain-string@0.12.1",
        ("results",),
        "nine parts hold the word and all are shown, as by the version before; this one hides what scores far below the"
        " best, which no page ever reaches",
    ),
    Override(
        "filter-tool-name-case-sensitive",
        ("suggestion_categories", "results[*].part_id"),
        "agents write the names of their tools in different cases, and nobody means another tool by another case",
    ),
    Override("raw-title-number", ("warning_categories",), "what is ignored is told"),
    Override("raw-after-object", ("warning_categories",), "what is ignored is told"),
    Override(
        "regex-zero-width",
        ("total",),
        "total counts parts, and all of them: not fields, and not as far as the scan happened to go",
    ),
    Override(
        "snippet-smart-title@0.12.1",
        ("results[0].snippet",),
        "a title hit shows the title that matched, not the beginning of some text",
    ),
)

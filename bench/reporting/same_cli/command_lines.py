"""The command lines that both checkouts run."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

DEMO: Final = ("--history", "history.jsonl")
QUERIES: Final = """\
{"kind": "identifier", "query": "rateLimit", "relevant": [{"session": "demo-10", "message": "demo-10-m2"}]}
{"kind": "typo", "query": "tokn bukcet", "relevant": [{"session": "demo-10", "message": "demo-10-m4"}]}
{"kind": "title", "query": "flaky capacity test", "relevant": [{"session": "demo-08"}], "project": "harborline"}
{"kind": "title", "query": "nothing", "relevant": [{"session": "absent"}]}
a broken line
"""
# Command lines on the demo history, which is appended to each of them as --history.
ON_DEMO: Final = """
search 'rate limit'
search 'rate limit' --json
search 'rate limit' --json
search 'rate limit' --json --no-cache
search 'rate limit' -m literal
search 'rate limit' -m fuzzy --json
search 'rate limit' -m regex
search 'rate limit' --group session
search 'rate limit' --group session --json --explain
search 'rate limit' --explain
search 'rate limit' --redact --json
search 'rate limit' --order time -n 3
search 'rate limit' --type tool
search 'rate limit' --role user --json
search 'rate limit' --width 60 --offset 2
search 'rate limit' --since 2026-01-01 --json
search 'rate limit' --last 2mo
search 'rate limit' --before yesterday
search 'rate limit' --after now --json
search 'rate limit' --title rate
search 'rate limit' --must bucket --must-not flaky
search 'rate limit' --sessions 2 --json
search 'rate limit' --directory /home/sam/harborline --fallback --json
search 'rate limit' --directory /nowhere
search 'rate limit' --project harborline
search 'rate limit' --tool bash --json
search 'rate limit' --file limits.py
search 'rate limit' --session demo-10
search 'rate limit' --session demo-10 --scope session --json
search 'rate limit' --scope project
search 'rate limit' --ignore project:moss*
search 'rate limit' --exclude-session demo-10 --json
search 'rate limit' --keep-vanished --json
search 'tokn bukcet' --json
search 'tokn bukcet'
search rateLimit
search 'the of' --json
search qqqqzz --json
search qqqqzz
search E0502 --json
search '"token bucket" burst' --json
search what did we decide
search -- --limit
get demo-10 demo-10-m2
get demo-10 demo-10-m2 --json
context demo-10 demo-10-m2 --window 1
context demo-10 demo-10-m2 --window 1 --json
context demo-10 demo-10-m2 --before 0 --after 2
messages demo-10 --limit 2
messages demo-10 --limit 2 --json
messages demo-10 --query 'token bucket' --role assistant --reverse
messages demo-10 --offset 3 --json
sessions
sessions --json
sessions --limit 3
sessions --search rate --json
sessions --scope project
stats
stats --json
stats --by week
stats --svg -
refresh
refresh --json
sources --verbose
sources --verbose --json
evaluate --queries queries.jsonl
evaluate --queries queries.jsonl --json
evaluate --queries queries.jsonl --match smart --against fuzzy
evaluate --queries queries.jsonl --against-weights PHRASE=0+NEAR=0 --json
export demo-10 --format markdown
export demo-10 --format html
export demo-10 --format jsonl
forget demo-10
search 'token bucket' --json
"""
# Command lines that are refused or find nothing. --history is appended to each of them.
REFUSED: Final = """
search
search ''
search rate --absent
search rate -m best
search rate --results -1
search rate --after someday
search '(' -m regex
search rate --width 3 --json
search rate --budget-ms 0
search rate --scope session
search rate --ignore x
search rate --tool bash --type text
get demo-01
get demo-01 absent
get absent demo-10-m2 --json
context demo-01 demo-01-m2 --window -1
messages d
messages absent --json
export absent
export demo-01 -f x
stats --by hour
batch
batch --calls absent.jsonl
forget absent
evaluate --queries absent.jsonl
evaluate --queries queries.jsonl --against-weights ABSENT=1
"""
# Command lines that name their histories themselves, or need none.
WITHOUT_HISTORY: Final = """
demo
demo 'umlats bank' --group session
demo E0502 --type tool --json
search rate --history absent.jsonl
search rate --history broken.jsonl
search rate --history broken.jsonl --json
sources --verbose --history broken.jsonl
sources --verbose --json --history broken.jsonl --history history.jsonl
--help
--version
absent
completion bash
search --help
get --help
context --help
messages --help
sessions --help
sources --help
refresh --help
purge --help
forget --help
stats --help
export --help
batch --help
evaluate --help
mcp --help
demo --help
"""
# Command lines that search every store found below the home folder.
DISCOVERED: Final = """
sources
sources --json
search migration --json
search migration --ignore store:codex --no-cache
sessions --history codex
purge --json
purge
"""
CALLS: Final[tuple[dict[str, Any], ...]] = (
    {"tool": "recall", "args": {"query": "token bucket", "match": "smart"}},
    {"tool": "recall", "args": {"query": "rate limit", "scope": "project"}, "context": {"project": "harborline"}},
    {"tool": "recall", "args": {"query": "rate limit", "explain": True, "results": 50, "width": 90}, "wire": "camel"},
    {"tool": "recall", "args": {"query": "ratelimit", "expand": "context", "window": 1, "expand_results": 2}},
    {"tool": "recall", "args": {"query": "rate limit", "match": "smart", "group": "session", "expand": "message"}},
    {"tool": "recall", "args": {"query": "rate", "results": -3, "match": "best", "title": " "}, "mode": "raw"},
    {"tool": "recall", "args": {"query": "rate", "results": -3}, "mode": "schema"},
    {"tool": "recall", "args": {"query": "", "match": "smart"}},
    {"tool": "recall", "args": {"query": "bucket", "since": "2026-01-01"}, "options": {"redact": True}},
    {"tool": "recall", "args": {"query": "bucket (", "match": "regex"}},
    {"tool": "recall", "args": {"query": "bucket"}, "context": {"project": "mossgarden"}, "options": {"global": False}},
    {"tool": "recall_get", "args": {"session_id": "demo-10", "message_id": "demo-10-m2"}},
    {"tool": "recall_get", "args": {"session_id": "demo-10", "message_id": "absent"}},
    {"tool": "recall_context", "args": {"session_id": "demo-10", "message_id": "demo-10-m2", "window": 1}},
    {"tool": "recall_messages", "args": {"session_id": "demo-10", "limit": 2, "reverse": True}},
    {"tool": "recall_messages", "args": {"session_id": "demo-10", "query": "token"}, "wire": "camel"},
    {"tool": "recall_sessions", "args": {"limit": 3}},
    {"tool": "recall_sessions", "args": {"search": "rate"}, "wire": "camel"},
    {"tool": "hook:nudge", "args": {"system": ["You help."]}},
    {"tool": "hook:auto_recall", "args": {"parts": [{"type": "text", "text": "as last time with the rate limit"}]}},
    {
        "tool": "hook:auto_recall",
        "args": {"parts": [{"type": "text", "text": "as last time with the rate limit"}]},
        "options": {"auto_recall": True},
        "context": {"session_id": "demo-01"},
    },
    {
        "tool": "hook:compaction",
        "args": {"context": []},
        "context": {"session_id": "demo-04"},
        "options": {"compaction_recall": True},
    },
    {"tool": "absent", "args": {}},
    {"args": {"query": "rate"}},
)
_CLIENT: Final = {"clientInfo": {"name": "same_cli", "version": "1"}, "capabilities": {}}
MCP: Final[tuple[dict[str, Any], ...]] = (
    {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", **_CLIENT}},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list", "params": {}},
    {"id": 3, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": "token bucket"}}},
)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """The words of one command line, and the text that it reads from stdin."""

    words: tuple[str, ...]
    stdin: str = ""

    def __str__(self) -> str:
        return f"recall-rank {shlex.join(self.words)}"


def demo_command_lines() -> Iterator[CommandLine]:
    """Yield every command, on the small history that ships with the package."""
    yield CommandLine(("batch", "--calls", "-", "--out", "-", *DEMO), _json_lines({"id": 1} | call for call in CALLS))
    yield CommandLine(("batch", "--calls", "-", *DEMO), "no JSON\n[]\n\n")
    yield CommandLine(("mcp", *DEMO), _json_lines({"jsonrpc": "2.0"} | call for call in MCP))
    yield CommandLine(("search", "x" * 5000, *DEMO))
    yield CommandLine(())
    for words in _split(ON_DEMO + REFUSED):
        at = words.index("--") if "--" in words else len(words)
        yield CommandLine((*words[:at], *DEMO, *words[at:]))
    yield from map(CommandLine, _split(WITHOUT_HISTORY))


def store_command_lines(
    stores: Sequence[str], session_ids: Callable[[CommandLine], Sequence[str]]
) -> Iterator[CommandLine]:
    """Yield commands on the stores of agents in the folder `stores`, then over all stores below the home folder.

    `session_ids` runs a command line `sessions --json` and returns the ids it lists; the first and last are exported.
    """
    for store in stores:
        history = ("--history", f"stores/{store}")
        listing = CommandLine(("sessions", "--json", "--limit", "100", *history))
        yield CommandLine(("sources", "--json", "--verbose", *history))
        yield listing
        yield CommandLine(("search", "migration error test", "--json", "--explain", "--results", "30", *history))
        yield CommandLine(("stats", "--json", *history))
        ids = session_ids(listing)
        for name in ids[:: max(1, len(ids) - 1)][:2]:
            yield CommandLine(("export", name, "--format", "jsonl", *history))
    yield from map(CommandLine, _split(DISCOVERED))


def _split(text: str) -> Iterator[tuple[str, ...]]:
    return (tuple(shlex.split(line)) for line in text.splitlines() if line)


def _json_lines(values: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)

"""How soon does the MCP server answer, how long does a call of `recall` take, and how many tokens does a model read?"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from bench.datasets import dataset
from bench.reporting.report import Report, Table
from recall_rank.frontends.cli.output.export_formats import history_lines

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from recall_rank.model import Session

MOST_OF_IMPORT = 1.4  # first answer / import of the SDK, measured in turns: machines differ, and so does their load
MOST_INITIALIZE_MS = 250.0  # one host goes on without the tools of a server after a second
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
LIST = ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
MOST_MIDDLE_MS = 30.0
_ROOT = str(Path(__file__).resolve().parents[3])
MATCHES = ("smart", "literal")
# What a model reads, in tokens of four characters: the most that each may have in either form of an answer.
MOST_TOKENS = {"list of tools": 2_200, "ten hits": 1_200, "answer without hits": 150, "largest answer": 5_000}
TEN = 10  # results by default
NOWHERE = "xyzzyqq plughvv"


def arguments(parser: argparse.ArgumentParser) -> None:
    dataset.arguments(parser)
    parser.add_argument("--calls", type=int, default=150, help="calls a mode (default %(default)s)")
    parser.add_argument("--starts", type=int, default=5, help="servers started (default %(default)s)")


def run(options: argparse.Namespace) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        data = dataset.load(options)
        report = Report("mcp", __doc__ or "", data.name)
        history = _written(data.sessions, Path(folder))
        queries = [one.query for one in data.queries[:: max(1, len(data.queries) // options.calls)]]
        words = ["--history", str(history), "--cache", str(Path(folder) / "cache")]
        asyncio.run(_first(words, queries[0]))  # fills the cache
        turns = [
            (
                _spent(_import_seconds),
                _spent(lambda: asyncio.run(_first(words, queries[0]))),
                _spent(lambda: _answered_seconds(words, INITIALIZE)),
                _spent(lambda: _answered_seconds(words, INITIALIZE, *LIST)),
            )
            for _ in range(options.starts)
        ]
        sdk, used = (statistics.median(imported[at] for imported, *_ in turns) * 1e3 for at in (0, 1))
        beyond, more = (statistics.median(first[at] - sdk[at] for sdk, first, *_ in turns) * 1e3 for at in (0, 1))
        began, offered = ([statistics.median(turn[of][at] for turn in turns) * 1e3 for at in (0, 1)] for of in (2, 3))
        rows = [
            ["an interpreter that imports the SDK", f"{sdk:.0f}", f"{used:.0f}"],
            ["start to the answer to initialize", f"{began[0]:.0f}", f"{began[1]:.0f}"],
            ["start to the list of tools", f"{offered[0]:.0f}", f"{offered[1]:.0f}"],
            ["start to the first answer of a tool", f"{sdk + beyond:.0f}", f"{used + more:.0f}"],
        ]
        report.tables.append(Table("median; CPU of the process till it ends", ["what", "wall ms", "CPU ms"], rows))
        report.add("initialize", began[0], "ms", "lower", 0.5, options.starts)
        report.check(f"initialize within {MOST_INITIALIZE_MS:g} ms", began[0] <= MOST_INITIALIZE_MS, f"{began[0]:.0f}")
        report.add("CPU beyond the SDK", more, "ms", "lower", 0.5, options.starts)
        report.add("first answer beyond the SDK", beyond, "ms", "lower", 0.5, options.starts)
        # of CPU: a turn that waits for a processor says nothing about either
        ratio = statistics.median(first[1] / imported[1] for imported, first, *_ in turns)
        report.add("first answer / import of the SDK", ratio, "ratio", "lower", 0.2, options.starts)
        what = f"first answer within {MOST_OF_IMPORT:g} times the CPU of importing the SDK"
        report.check(what, ratio <= MOST_OF_IMPORT, f"{ratio:.2f}")
        spent = asyncio.run(_calls(words, queries))
        _add_sizes(report, asyncio.run(_sizes(words, queries)))
    rows = []
    for match, values in spent.items():
        values.sort()
        middle = statistics.median(values)
        rows.append([match, str(len(values)), f"{middle:.1f}", f"{values[len(values) * 95 // 100]:.1f}"])
        report.add(f"{match}/p50", middle, "ms", "lower", 0.3, len(values))
        report.check(
            f"{match}: half of the calls within {MOST_MIDDLE_MS:g} ms", middle <= MOST_MIDDLE_MS, f"{middle:.1f}"
        )
    report.tables.append(Table("wall ms of a call of recall", ["match", "calls", "p50", "p95"], rows))
    return report


def _written(sessions: Iterable[Session], folder: Path) -> Path:
    path = folder / "history.jsonl"
    with path.open("wb") as file:
        file.writelines(orjson.dumps(line) + b"\n" for session in sessions for line in history_lines(session))
    return path


def _spent(work: Callable[[], float]) -> tuple[float, float]:
    """Wall seconds as `work` measures them, and CPU seconds of the processes it started."""
    before = os.times()
    wall = work()
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, used


def _import_seconds() -> float:
    before = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import mcp.server.lowlevel, os; os._exit(0)"], check=True)
    return time.perf_counter() - before


def _answered_seconds(words: Sequence[str], *frames: dict[str, Any]) -> float:
    """Wall seconds from the start of a server until it has answered the last frame; then it is killed."""
    before = time.perf_counter()
    with subprocess.Popen(_command(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=_ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"".join(orjson.dumps(frame) + b"\n" for frame in frames))
        process.stdin.flush()
        while orjson.loads(process.stdout.readline())["id"] != frames[-1]["id"]:
            pass
        spent = time.perf_counter() - before
        process.kill()
    return spent


def _command(words: Sequence[str]) -> list[str]:
    code = "from recall_rank.frontends.cli.main import main; main()"
    return [sys.executable, "-c", code, "mcp", *words]


def _client(words: Sequence[str]) -> Any:
    from mcp import Client, StdioServerParameters

    command, *args = _command(words)
    return Client(StdioServerParameters(command=command, args=args, cwd=_ROOT))


async def _first(words: Sequence[str], query: str) -> float:
    before = time.perf_counter()
    async with _client(words) as client:
        answer = await client.call_tool("recall", {"query": query, "match": "smart"})
        spent = time.perf_counter() - before
    assert answer.structured_content["ok"], answer.structured_content
    return spent


async def _calls(words: Sequence[str], queries: Sequence[str]) -> dict[str, list[float]]:
    spent: dict[str, list[float]] = {match: [] for match in MATCHES}
    async with _client(words) as client:
        for match in MATCHES:
            await client.call_tool("recall", {"query": queries[0], "match": match})
        for query in queries:
            for match in MATCHES:
                before = time.perf_counter()
                answer = await client.call_tool("recall", {"query": query, "match": match})
                spent[match].append((time.perf_counter() - before) * 1e3)
                assert answer.structured_content["ok"], answer.structured_content
    return spent


async def _sizes(words: Sequence[str], queries: Sequence[str]) -> dict[str, list[float]]:
    """Tokens of the list of tools, and of answers in the larger of their two forms."""
    sizes: dict[str, list[float]] = {name: [] for name in MOST_TOKENS}
    async with _client(words) as client:
        listed = await client.list_tools()
        sizes["list of tools"].append(
            _tokens([tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools])
        )
        for query in queries:
            answer = await client.call_tool("recall", {"query": query})
            size = _read_tokens(answer)
            if len(answer.structured_content["results"]) == TEN:
                sizes["ten hits"].append(size)
            whole = {"query": query, "results": 50, "expand": "context", "expand_results": 3}
            sizes["largest answer"].append(_read_tokens(await client.call_tool("recall", whole)))
        nothing = await client.call_tool("recall", {"query": NOWHERE})
        assert not nothing.structured_content["results"], nothing.structured_content
        sizes["answer without hits"].append(_read_tokens(nothing))
    return sizes


def _add_sizes(report: Report, sizes: dict[str, list[float]]) -> None:
    """Add a table of tokens; the median of ten hits is checked, of all else the largest."""
    rows = []
    for name, found in sizes.items():
        middle, largest, most = statistics.median(found), max(found), MOST_TOKENS[name]
        rows.append([name, str(len(found)), f"{middle:,.0f}", f"{largest:,.0f}", f"{most:,}"])
        told = middle if name == "ten hits" else largest
        report.add(f"tokens/{name}", told, "tokens", "lower", 0.02, len(found))
        report.check(f"{name}: at most {most:,} tokens", told <= most, f"{told:,.0f}")
    columns = ["what", "n", "median", "largest", "at most"]
    report.tables.append(Table("tokens, four characters each, of what a model reads", columns, rows))


def _read_tokens(answer: Any) -> float:
    return max(_tokens(answer.structured_content), _tokens("".join(part.text for part in answer.content)))


def _tokens(value: Any) -> float:
    return len(value if isinstance(value, str) else orjson.dumps(value).decode()) / 4

"""A round trip of recall-rank through a host: install, look at it, ask it, uninstall.

All of it happens in a temporary home folder, which holds the demo's sessions as Claude Code would have written them.
The settings and histories of the person who runs it are neither read nor changed. The modules beside this one say what
is particular about each host.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import recall_rank as rr
from examples.histories import opened

QUERY: Final = "why did we reject raster tiles"
_ASKED: Final[Mapping[str, Any]] = {"match": "smart", "results": 2, "width": 240}
_RECALL_RANK: Final = (sys.executable, "-m", "recall_rank")
_KEPT: Final = ("PATH", "PYTHONPATH", "LANG", "LC_ALL", "TMPDIR")  # no other variable may lead to a person's settings
_SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class Home:
    """A home folder for one round trip, and a folder beside it for caches and records."""

    folder: Path
    beside: Path

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment of a program that shall see this home folder and no other."""
        own = {"HOME": self.folder, "XDG_CACHE_HOME": self.beside / "cache", "XDG_STATE_HOME": self.beside / "state"}
        return {name: os.environ[name] for name in _KEPT if name in os.environ} | {k: str(v) for k, v in own.items()}

    def run(self, command: Sequence[str]) -> str:
        """Run a command and return what it printed. Raises RuntimeError with its errors when it fails."""
        done = subprocess.run(  # noqa: S603 - recall-rank itself, or node
            command,
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr or done.stdout}")
        return done.stdout

    def content(self) -> dict[str, bytes | None]:
        """Return every file of the home folder with its bytes, and every folder with None."""
        paths = sorted(self.folder.rglob("*"))
        return {str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else None for path in paths}


@dataclass(frozen=True, slots=True)
class HostExample:
    """What is particular about a host.

    `config` is the file that an install writes, below the home folder; `ask` starts what that file configures and
    returns the answer to a query. `before` is what a person may have had in it.
    """

    name: str
    config: str
    ask: Callable[[Home, Path, str], str]
    before: str = ""


def over_mcp(command_of: Callable[[str], Sequence[str]]) -> Callable[[Home, Path, str], str]:
    """Return a function that starts the MCP server of a configuration and calls its tool `recall`.

    `command_of` takes the text of the configuration file and returns the command line that the host would start.
    """

    def ask(home: Home, config: Path, query: str) -> str:
        import asyncio

        from mcp import Client, StdioServerParameters

        program, *arguments = command_of(config.read_text(encoding="utf-8"))
        print(f"\n== Starts {' '.join((program, *arguments))}")
        there = StdioServerParameters(command=program, args=arguments, env=home.environment, cwd=home.folder)

        async def talk() -> str:
            async with Client(there) as client:
                tools = (await client.list_tools()).tools
                print(f"It offers {', '.join(tool.name for tool in tools)}.")
                answer = await client.call_tool("recall", {"query": query, **_ASKED})
                return "\n".join(block.text for block in answer.content if block.type == "text")

        return asyncio.run(talk())

    return ask


def in_node(host: str) -> Callable[[Home, Path, str], str]:
    """Return a function that loads an extension into Node with a stand-in for its host, and calls its tool `recall`."""

    def ask(home: Home, config: Path, query: str) -> str:
        if shutil.which("node") is None:
            raise RuntimeError("the extension runs in Node, and there is no node on the PATH")
        extension = config.with_suffix(".mjs")  # Node before 22.6 takes no .ts; the file is JavaScript all the same
        extension.write_bytes(config.read_bytes())
        stand_in = Path(__file__).with_name("stand_in.mjs")
        print(f"\n== Loads {config.relative_to(home.folder)} into Node with a stand-in for {host}")
        try:
            return home.run(["node", str(stand_in), host, str(extension), json.dumps({"query": query, **_ASKED})])
        finally:
            extension.unlink()

    return ask


def in_python(host: str) -> Callable[[Home, Path, str], str]:
    """Return a function that loads a plugin of Python with a stand-in for its host, and calls its tool `recall`."""

    def ask(home: Home, config: Path, query: str) -> str:
        stand_in = Path(__file__).with_name("stand_in.py")
        print(f"\n== Loads {config.parent.relative_to(home.folder)} with a stand-in for {host}")
        given = json.dumps({"query": query, **_ASKED})
        return home.run([sys.executable, "-B", str(stand_in), str(config.parent), given])  # -B: leaves no bytecode

    return ask


def json_server(text: str) -> list[str]:
    """Return the command line of our server in a configuration of the form {"mcpServers": {"recall": ...}}, which may
    have lines that are comments.
    """
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("//"))
    entry = json.loads("\n".join(lines))["mcpServers"]["recall"]
    return [entry["command"], *entry["args"]]


def main(host: HostExample, arguments: Sequence[str] | None = None) -> int:
    """Make the round trip; return 0 when the home folder is in the end as it was, byte for byte, else 1. A step that
    fails ends it with 2 and the reason.
    """
    parser = argparse.ArgumentParser(description=f"Install recall-rank into {host.name}, ask it, and uninstall it.")
    parser.add_argument("query", nargs="*", help=f"what to look for in the demo's sessions; default: {QUERY}")
    query = " ".join(parser.parse_args(arguments).query) or QUERY
    try:
        changed = round_trip(host, query)
    except ModuleNotFoundError as error:
        print(f"{error}: pip install '.[mcp]'", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"Not as before: {', '.join(changed)}" if changed else "The home folder is as it was, byte for byte.")
    return 1 if changed else 0


def round_trip(host: HostExample, query: str) -> list[str]:
    """Install, ask and uninstall, and print what is seen; return what of the home folder is not as before."""
    with tempfile.TemporaryDirectory() as folder:
        home = Home(Path(folder).resolve() / "home", Path(folder).resolve() / "beside")
        _write_sessions(home.folder)
        config = home.folder / host.config
        if host.before:
            config.parent.mkdir(parents=True, exist_ok=True)
            config.write_text(host.before, encoding="utf-8")
        before = home.content()

        print(f"== recall-rank install {host.name} --scope user --yes")
        print(home.run([*_RECALL_RANK, "install", host.name, "--scope", "user", "--yes"]).splitlines()[-1])
        for name, data in home.content().items():
            if data is not None and data != before.get(name):
                print(f"\n== {name}\n{shown(data)}")

        answer = host.ask(home, config, query)
        print(f"Asked for {query!r}, it answers:\n\n{answer.strip()}")

        print(f"\n== recall-rank uninstall {host.name} --scope user --yes")
        print(home.run([*_RECALL_RANK, "uninstall", host.name, "--scope", "user", "--yes"]).splitlines()[-1])
        left = home.content()
    return sorted(name for name, _ in before.items() ^ left.items())


def shown(data: bytes) -> str:
    """Return the text of a file, of a long one the beginning."""
    lines = data.decode().splitlines()
    return "\n".join(lines if len(lines) <= 40 else [*lines[:10], f"[{len(lines) - 10} more lines]"])


def _write_sessions(home: Path) -> None:
    """Write what was said in the demo's sessions into a home folder, in the form of Claude Code's transcripts."""
    with opened("demo") as recall:
        for listed in recall.sessions():
            session = recall.transcript(listed.id)
            path = (
                home / ".claude" / "projects" / (session.directory or "demo").replace("/", "-") / f"{session.id}.jsonl"
            )
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(_record(session, message) for message in session.messages), encoding="utf-8")


def _record(session: rr.Session, message: rr.Message) -> str:
    """Return a message as a line of a transcript."""
    texts = [{"type": "text", "text": part.text} for part in message.parts if part.type == "text" and part.text]
    time = datetime.fromtimestamp((message.time or 0) / 1000, UTC).isoformat().replace("+00:00", "Z")
    about = {"uuid": message.id, "sessionId": session.id, "cwd": session.directory, "timestamp": time}
    said = {"id": message.id, "role": message.role, "content": texts}
    return json.dumps({"type": message.role, **about, "message": said}) + "\n"

"""Drive the real Claude Code with the plugin, headless, against a stub model, and check what reached the model.

`python -m tests.hosts.claude_code_plugin PROGRAM` takes the path of the program `claude`; without it, the program is
installed from the npm registry into a temporary folder. Nothing outside of temporary folders is read or written. It
prints one line for each check and ends with 1 if one failed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from recall_rank.frontends.hosts.events import background_refresh
from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.stored_backend import stored_state
from recall_rank.model.recalled_text import NUDGE_SENTINEL as SENTINEL
from recall_rank.recall import stored_recall
from tests.hosts.stub_model import MODEL, Call, Request, StubModel

ROOT: Final = Path(__file__).resolve().parents[2]
PLUGIN: Final = Path(background_refresh.__file__).parent / "files" / "claude_code"
RECALL: Final = "mcp__plugin_recall-rank_recall-rank__recall"
SECONDS: Final = 120
EARLIER: Final = (
    "Which retry limit shall the harbor importer have?",
    "We decided that the harbor importer gets a retry limit of seven, because the quay gateway drops calls.",
)
ASKS: Final = "What did we decide about the retry limit of the harbor importer last time?"
Check = tuple[str, bool]


class ClaudeHome:
    """A fresh home folder, a project, and a `recall-rank` of this checkout on the path."""

    def __init__(self, folder: Path, program: Path, model: StubModel) -> None:
        self.home, self.project, self.tools = folder / "home", folder / "quay", folder / "bin"
        for each in (self.home, self.project, self.tools):
            each.mkdir()
        self.program = program
        ours = self.tools / "recall-rank"
        ours.write_text(
            f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m recall_rank "$@"\n', encoding="utf-8"
        )
        ours.chmod(0o755)
        known = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        self.environ = {
            **known,
            "PATH": f"{self.tools}:{os.environ.get('PATH', '')}",
            "HOME": str(self.home),
            "ANTHROPIC_BASE_URL": model.url,
            "ANTHROPIC_API_KEY": "stub",
            "ANTHROPIC_MODEL": MODEL,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def ask(self, prompt: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Run one turn without a terminal, with the plugin."""
        command = [str(self.program), "-p", prompt, "--plugin-dir", str(PLUGIN), "--allowedTools", RECALL, *options]
        return subprocess.run(
            command, cwd=self.project, env=self.environ, capture_output=True, text=True, check=False, timeout=SECONDS
        )

    def claude(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run another command of Claude Code."""
        return subprocess.run(
            [str(self.program), *words],
            cwd=self.project, env=self.environ, capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip

    def recall_rank(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run our command in the fresh home."""
        command = [str(self.tools / "recall-rank"), *words]
        return subprocess.run(
            command, cwd=self.project, env=self.environ, capture_output=True, text=True, check=False, timeout=SECONDS
        )


def installed(folder: Path) -> Path:
    """Install Claude Code from the npm registry that this machine is set to; return its program."""
    subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), "@anthropic-ai/claude-code"], check=True
    )
    native = sorted(folder.glob("node_modules/@anthropic-ai/claude-code-*/claude"))
    return native[0] if native else folder / "node_modules" / ".bin" / "claude"


def checks(home: ClaudeHome, model: StubModel) -> Iterator[Check]:
    """Drive two sessions and yield what was checked."""
    model.begin(EARLIER[1])
    first = home.ask(EARLIER[0])
    yield f"the first session ends with 0 {first.stderr[-200:]!r}", first.returncode == 0
    yield "SessionStart: the reminder reached the model", any(SENTINEL in each.text for each in model.talk())
    yield "SessionEnd: the session was indexed in the background", _within(30, lambda: _is_indexed(home))
    stored = sorted((home.home / ".claude" / "projects").glob("*/*.jsonl"))
    yield "the session is in the store", len(stored) == 1
    read = json.loads(home.recall_rank("sources", "--json").stdout or "{}")
    claude = [each for each in read.get("sources", ()) if each.get("agent") == "claude_code" or "claude" in str(each)]
    yield (
        "its store is read without a malformed record",
        bool(claude) and not any(each.get("malformed") for each in claude),
    )

    model.begin(Call("ToolSearch", {"query": f"select:{RECALL}"}), Call(RECALL, {"query": "retry limit of"}), "Seven.")
    second = home.ask(ASKS)
    talk = model.talk()
    yield f"the second session ends with 0 {second.stderr[-200:]!r}", second.returncode == 0
    yield "UserPromptSubmit: what was said reached the model", any(_quoted(each) for each in talk[:1])
    yield "the tool was offered or named", any(RECALL in json.dumps(each.body) for each in talk)
    yield (
        "the tool was called, its answer reached the model",
        any("retry limit of seven" in answer for each in talk for answer in each.answers),
    )

    for said in (
        "And the timeout of it?",
        "And its name?",
        "Then write that down.",
    ):  # fewer messages are not compacted
        model.begin("That was not decided yet.")
        home.ask(said, "--resume", stored[0].stem)
    model.begin()
    third = home.ask("/compact", "--resume", stored[0].stem)
    yield f"a session is compacted {third.stdout[-200:].strip()!r}", third.returncode == 0
    yield (
        "PreCompact: sentences to keep reached the summary",
        any("<recall-compaction>" in each.text and "retry limit of seven" in each.text for each in model.requests),
    )
    lines = [json.loads(line) for path in stored for line in path.read_text().splitlines()]
    yield "the session goes on from a summary", any(line.get("isCompactSummary") for line in lines)


def installs(home: ClaudeHome) -> Iterator[Check]:
    """Install the plugin from its own marketplace file, and uninstall it; yield what was checked."""
    steps = (
        ("marketplace", "add", str(PLUGIN)),
        ("install", "recall-rank@recall-rank"),
        ("uninstall", "recall-rank@recall-rank"),
        ("marketplace", "remove", "recall-rank"),
    )
    for words in steps:
        done = home.claude("plugin", *words)
        said = f"{done.stdout} {done.stderr}".strip()[-200:] if done.returncode else ""
        yield f"claude plugin {words[0]} {said}", done.returncode == 0


def _is_indexed(home: ClaudeHome) -> bool:
    """Return whether the index on disk, which is not refreshed here, holds what was said."""
    cache = home.home / ".cache" / "recall_rank"
    state = stored_state(cache, RefreshRules(cache=cache)) if cache.is_dir() else None
    return state is not None and bool(stored_recall(cache, state).search("retry limit of seven").results)


def _within(seconds: float, holds: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.2)
    return True


def _quoted(request: Request) -> bool:
    _, fence, rest = request.text.partition("<<<recalled ")
    return bool(fence) and "retry limit of seven" in rest


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="recall-rank-claude-") as name, StubModel() as model:
        folder = Path(name)
        program = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else installed(folder / "npm")
        failed = 0
        home = ClaudeHome(folder, program, model)
        print(f"Claude Code {home.claude('--version').stdout.strip()}", flush=True)
        for said, is_right in chain(checks(home, model), installs(home)):
            print(f"{'ok' if is_right else 'FAILED':6} {said}", flush=True)
            failed += not is_right
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())

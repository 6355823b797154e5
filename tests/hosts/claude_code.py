"""Claude Code, installed by our own command: sessions by `claude -p`, a compaction, slash commands, and our plugin."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any, Final

from recall_rank.frontends.hosts import install
from recall_rank.model.recalled_text import AUTO_RECALL_TAG, COMPACTION_TAG, NUDGE_SENTINEL
from tests.hosts.harness import (
    CALLS,
    FIRST_ANSWER,
    FIRST_QUESTION,
    LAST_ANSWER,
    SECOND_QUESTION,
    WORD,
    Report,
    Workplace,
    check_gone,
    check_hooks,
    check_project,
    check_store,
    check_tools,
    check_undone,
    check_without_us,
    wait_for_index,
    without_ours,
)
from tests.hosts.stub_model import MODEL

PLUGIN: Final = Path(install.__file__).parent / "files" / "claude_code"
_OWN_FILES: Final = {  # of the person, before the install
    ".claude/settings.json": """{"enableAllProjectMcpServers": true, "hooks": {"Stop": [
\t{"hooks": [{"type": "command", "command": "true"}]}
]}}""",
    ".claude/commands/mine.md": "Say hello.\n",
}
_STATE: Final = ".claude.json"  # Claude Code writes its own state into it at every start


class ClaudeProgram:
    """The program of Claude Code in a workplace."""

    def __init__(self, workplace: Workplace) -> None:
        self._workplace = workplace
        self._program = workplace.npm("@anthropic-ai/claude-code", "claude")
        workplace.variables |= {
            "PATH": f"{workplace.ours.parent}:{os.environ['PATH']}",  # the plugin has no absolute path of ours
            "ANTHROPIC_BASE_URL": workplace.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ENABLE_TOOL_SEARCH": "false",  # so that the schemas are in the first request,
            "MCP_CONNECTION_NONBLOCKING": "false",  # also where the machine is busy
        }

    def run(self, *words: str | Path) -> CompletedProcess[str]:
        """Run a command of Claude Code."""
        return self._workplace.run(self._program, *words)

    def asking(self, *options: str | Path) -> list[str | Path]:
        """Return a command that takes a prompt and runs one turn without a terminal, with our tools allowed."""
        return [self._program, "--model", MODEL, "--allowedTools", "mcp__recall", *options, "-p"]

    def ask(self, prompt: str, *options: str | Path) -> CompletedProcess[str]:
        """Run one turn."""
        return self._workplace.run(*self.asking(*options), prompt)


def drive(workplace: Workplace, report: Report) -> None:
    """Drive Claude Code, and add to the report what was seen."""
    claude = ClaudeProgram(workplace)
    report.version = claude.run("--version").stdout.strip()
    model = workplace.model
    for name, text in _OWN_FILES.items():
        (workplace.home / name).parent.mkdir(parents=True, exist_ok=True)
        (workplace.home / name).write_text(text, encoding="utf-8")
    claude.run("mcp", "list")  # writes the state of Claude Code
    report.check("the state of Claude Code is there before the install", (workplace.home / _STATE).is_file())
    check_undone(report, workplace, "claude-code")
    edited = workplace.edited_files("claude-code")
    before = {name: digest for name, digest in edited.items() if name != _STATE}

    model.begin(FIRST_ANSWER)
    done = claude.ask(FIRST_QUESTION)
    report.check("the first session is answered", FIRST_ANSWER in done.stdout, done.stdout + done.stderr)
    report.check("the first session is indexed when it ends", wait_for_index(workplace, "burst of 42"))
    model.begin(*CALLS, LAST_ANSWER)
    done = claude.ask(SECOND_QUESTION)
    report.check("the second session is answered", LAST_ANSWER in done.stdout, done.stdout + done.stderr)
    talk = model.talk()
    check_tools(report, talk)
    check_hooks(report, workplace, talk)
    _check_compaction(workplace, report, claude)
    _check_commands(workplace, report, claude)
    _check_both_scopes(workplace, report, claude)
    check_store(report, workplace, "claude-code", _counts(workplace))

    with without_ours(workplace):
        model.begin(LAST_ANSWER)
        done = claude.ask(SECOND_QUESTION)
        report.check("without our program the host answers", LAST_ANSWER in done.stdout, done.stderr)
    workplace.uninstall("claude-code")
    check_gone(report, workplace, before)
    report.check("and no entry of ours is left in its state", '"recall"' not in (workplace.home / _STATE).read_text())
    model.begin(LAST_ANSWER)
    claude.ask(SECOND_QUESTION)
    check_without_us(report, model.talk())
    check_project(report, workplace, "claude-code", claude.asking())
    _check_plugin(workplace, report, claude)


def _check_compaction(workplace: Workplace, report: Report, claude: ClaudeProgram) -> None:
    """Compact a session that holds a decision, and look for it in what the model is asked to summarise."""
    said = f"We decided to use {WORD} with a burst of 42 because the uploads come in pairs."
    model = workplace.model
    before = set(_transcripts(workplace))
    model.begin("Understood.")
    claude.ask(said)
    (transcript,) = set(_transcripts(workplace)) - before
    for more in ("And the timeout?", "And its name?", "Then write that down."):  # fewer messages are not compacted
        model.begin("That was not decided yet.")
        claude.ask(more, "--resume", transcript.stem)
    model.begin()
    claude.ask("/compact", "--resume", transcript.stem)
    texts = [each.text for each in model.requests]
    kept = any(f"<{COMPACTION_TAG}>" in text and "because the uploads come in pairs" in text for text in texts)
    report.check("compaction recall reached the model", kept, f"{len(texts)} requests")
    report.check("the session goes on from a summary", any(each.get("isCompactSummary") for each in _read(transcript)))


def _check_commands(workplace: Workplace, report: Report, claude: ClaudeProgram) -> None:
    """Run a slash command of ours."""
    workplace.model.begin(LAST_ANSWER)
    claude.ask(f"/recall-rank:recall {WORD}")
    asked = [each.text for each in workplace.model.talk()]
    seen = asked[-1][-300:] if asked else "no request"
    report.check("the slash command asks for a recall", any(f"`recall` with `{WORD}`" in each for each in asked), seen)


def _check_both_scopes(workplace: Workplace, report: Report, claude: ClaudeProgram) -> None:
    """Add an install in the project: Claude Code runs a command once that is in both settings."""
    workplace.install("claude-code", "--scope", "project")
    workplace.model.begin(LAST_ANSWER)
    claude.ask(SECOND_QUESTION)
    _check_once(report, workplace, "with user and project, each hook speaks once")
    workplace.uninstall("claude-code", "--scope", "project")


def _check_once(report: Report, workplace: Workplace, name: str) -> None:
    talk = workplace.model.talk()
    text = talk[0].text if talk else ""
    counts = [text.count(each) for each in (NUDGE_SENTINEL, f"<{AUTO_RECALL_TAG}>")]
    report.check(name, counts == [1, 1], counts)


def _check_plugin(workplace: Workplace, report: Report, claude: ClaudeProgram) -> None:
    """Install our plugin by Claude Code's own command, use it, also beside an install of ours, and take it out."""
    for words in (("marketplace", "add", PLUGIN), ("install", "recall-rank@recall-rank")):
        done = claude.run("plugin", *words)
        report.check(f"claude plugin {' '.join(words[:-1])}", done.returncode == 0, done.stdout + done.stderr)
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    claude.ask(SECOND_QUESTION, "--allowedTools", "mcp__plugin_recall-rank_recall-rank")
    talk = workplace.model.talk()
    answers = talk[-1].answers if talk else ()
    report.check("the plugin's tool is called", any(WORD in each for each in answers), answers)
    _check_once(report, workplace, "each hook of the plugin speaks once")
    done = workplace.run(workplace.ours, "install", "claude-code", "--yes")
    report.check("install tells of the plugin", "recall-rank@recall-rank is enabled" in done.stderr, done.stderr)
    workplace.model.begin(LAST_ANSWER)
    claude.ask(SECOND_QUESTION)
    _check_once(report, workplace, "beside an install each hook speaks once")
    workplace.uninstall("claude-code")
    for words in (("uninstall", "recall-rank@recall-rank"), ("marketplace", "remove", "recall-rank")):
        done = claude.run("plugin", *words)
        report.check(f"claude plugin {' '.join(words[:-1])}", done.returncode == 0, done.stdout + done.stderr)


def _transcripts(workplace: Workplace) -> list[Path]:
    return sorted((workplace.home / ".claude/projects").glob("*/*.jsonl"))


def _read(transcript: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in transcript.read_text("utf-8").splitlines()]


def _counts(workplace: Workplace) -> dict[str, int]:
    """The numbers of sessions and messages in the store, counted without our loader: the records of one answer of the
    model share its id, and what tools answered belongs to the messages that called them.
    """
    found = _transcripts(workplace)
    return {"sessions": len(found), "messages": len({key for each in found for key in _messages(each)})}


def _messages(transcript: Path) -> Iterator[str]:
    """Yield the id of each message of a transcript that says or calls something, some ids several times."""
    for record in _read(transcript):
        kind, content = record["type"], record.get("message", {}).get("content")
        only_answers = isinstance(content, list) and all(each["type"] == "tool_result" for each in content)
        if kind == "assistant":
            yield record["message"]["id"]
        elif (kind == "user" and not only_answers) or (kind == "system" and record.get("content")):
            yield record["uuid"]

"""Defects that were measured in an older renderer of transcripts are gone, one test each.

The records are those of Claude Code, written here with invented words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from recall_rank.frontends.transcripts.exchanges import exchanges_of
from recall_rank.frontends.transcripts.gather import find_session, read_transcript
from recall_rank.frontends.transcripts.render import SessionTranscript, transcript_markdown
from recall_rank.frontends.transcripts.statistics import estimated_tokens, files_of
from recall_rank.loaders import open_sources
from recall_rank.recall import Recall

ID = "5e0f9d2a-0000-4000-8000-000000000001"
HEADINGS = re.compile(r"^### Exchange \d+", re.MULTILINE)


class Log:
    """The lines of one session, each a second after the one before."""

    def __init__(self, home: Path, mark: str = "u") -> None:
        self.mark = mark
        self.folder = home / ".claude" / "projects" / "-srv-quay"
        self.lines: list[str] = []

    def add(self, kind: str, **more: Any) -> None:
        at = len(self.lines)
        stamp = f"2026-03-01T10:{at // 60:02}:{at % 60:02}.000Z"
        record = {
            "type": kind,
            "uuid": f"{self.mark}{at}",
            "sessionId": ID,
            "cwd": "/home/mara/quay",
            "timestamp": stamp,
        }
        self.lines.append(json.dumps({**record, **more}))

    def user(self, content: Any, **more: Any) -> None:
        self.add("user", message={"role": "user", "content": content}, **more)

    def agent(self, *content: Any, **more: Any) -> None:
        message = {"id": f"{self.mark}-a{len(self.lines)}", "role": "assistant", "content": list(content)}
        self.add("assistant", message=message, **more)

    def call(self, name: str, given: Any, output: str, *, failed: bool = False) -> None:
        key = f"t{len(self.lines)}"
        self.agent({"type": "tool_use", "id": key, "name": name, "input": given})
        self.user([{"type": "tool_result", "tool_use_id": key, "content": output, "is_error": failed}])

    def written(self, lines: Iterable[str] | None = None, name: str = f"{ID}.jsonl") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(self.lines if lines is None else lines) + "\n", encoding="utf-8")
        return path


def read(home: Path) -> SessionTranscript:
    with Recall(open_sources(home)) as recall:
        return read_transcript(recall, find_session(recall, ID))


def page(home: Path) -> str:
    return transcript_markdown(read(home))


def test_a_message_that_mentions_a_reminder_stays(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("My question mentions <system-reminder> in its middle: does it stay?")
    log.user("Look.\n<system-reminder>be terse</system-reminder>\nThen moor.")
    log.written()
    shown = page(tmp_path)
    assert "> My question mentions <system-reminder> in its middle: does it stay?" in shown
    assert "> Look.\n>\n> Then moor." in shown
    assert "be terse" not in shown
    assert "- reminders removed: 1" in shown


def test_a_sidechain_and_a_failed_request_are_marked(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Moor the boat.")
    log.user("explore the berths", isSidechain=True)
    log.agent({"type": "text", "text": "berth four is free"}, isSidechain=True)
    log.agent({"type": "text", "text": "API Error: overloaded"}, isApiErrorMessage=True)
    log.written()
    shown = page(tmp_path)
    assert len(HEADINGS.findall(shown)) == 1
    assert "**subagent, user**\n\n> explore the berths" in shown
    assert "**subagent, assistant**\n\n> berth four is free" in shown
    assert "**assistant · error**\n\n> API Error: overloaded" in shown
    assert "- messages of subagents among these: 2" in shown


def test_files_of_subagents_are_read(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Moor the boat.")
    log.written()
    side = Log(tmp_path, "side")
    side.user("Count the berths.", isSidechain=True, agentId="ab12")
    side.agent({"type": "text", "text": "nine berths, codename heron"}, isSidechain=True, agentId="ab12")
    path = side.written(name=f"{ID}/subagents/agent-ab12.jsonl")
    path.with_suffix(".meta.json").write_text('{"agentType": "Explore", "description": "Count berths"}')
    shown = page(tmp_path)
    assert "## Subagent 1: Count berths" in shown
    assert "### Subagent 1, exchange 1 ·" in shown
    assert "> nine berths, codename heron" in shown
    assert "during exchange 1" in shown


def test_failures_and_the_ends_of_outputs_stay(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Run the tests.")
    log.call("Bash", {"command": "make test"}, "E assert 4 == 5\nFAILED tests/test_tide.py", failed=True)
    log.call("Bash", {"command": "make"}, "begin\n" + "noise\n" * 50 + "linked quay.so")
    log.written()
    shown = page(tmp_path)
    assert "- **Bash** `make test` · failed · 2 lines\n  - `E assert 4 == 5`\n  - `FAILED tests/test_tide.py`" in shown
    assert "  - `begin`" in shown
    assert "  - `linked quay.so`" in shown
    assert "- failed tool calls: 1" in shown


def test_a_long_run_without_a_user_is_one_exchange_in_text_and_in_value(tmp_path: Path) -> None:
    """The older renderer split such a run in its text by a heading that its reader did not recognise."""
    log = Log(tmp_path)
    log.user("Work until it converges.")
    for number in range(40):
        log.call("Bash", {"command": f"round {number}"}, "ok")
    log.user("Thanks.")
    log.written()
    found = read(tmp_path)
    shown = transcript_markdown(found)
    assert len(HEADINGS.findall(shown)) == len(found.exchanges) == found.statistics.exchanges == 2
    assert "autonomous" not in shown


def test_a_text_like_a_heading_makes_no_exchange(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("### Exchange 2 · 2026-03-01 10:00 UTC · about 5 tokens\n\n**User #2** · 2026 · 5 tokens")
    log.agent({"type": "text", "text": "### Exchange 3 · about 5 tokens\n## Subagent 1: x\n---"})
    log.written()
    shown = page(tmp_path)
    assert len(HEADINGS.findall(shown)) == 1
    assert re.findall(r"^## .*", shown, re.MULTILINE) == ["## Statistics", "## Conversation"]


def test_a_text_like_a_line_of_the_statistics_stays(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("The report said Estimated tokens | ~12,345 yesterday, and estimated tokens of this conversation: 7.")
    log.written()
    assert "> The report said Estimated tokens | ~12,345 yesterday, and estimated tokens of this" in page(tmp_path)


def test_every_line_of_a_text_is_quoted(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("first line\nsecond line\n\nlast line")
    log.written()
    assert "> first line\n> second line\n>\n> last line\n" in page(tmp_path)


def test_edits_by_every_tool_are_counted(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Edit.")
    log.call("MultiEdit", {"file_path": "/home/mara/quay/main.rs", "edits": [{}]}, "ok")
    log.call("NotebookEdit", {"notebook_path": "/home/mara/quay/tides.ipynb", "new_source": "x"}, "ok")
    log.call("Edit", {"file_path": "/home/mara/quay/main.rs"}, "ok")
    log.call("Edit", {"file_path": "/home/mara/quay/never.rs"}, "no such file", failed=True)
    log.call("Read", {"file_path": "/home/mara/quay/README"}, "quay")
    log.written()
    shown = page(tmp_path)
    listed = shown.partition("## Files touched\n\n")[2].partition("\n\n")[0]
    assert listed.split("\n") == [
        "- `~/quay/main.rs`: edited 2",
        "- `~/quay/tides.ipynb`: edited 1",
        "- `~/quay/README`: read 1",
    ]
    assert files_of(read(tmp_path).session)[0].path == "/home/mara/quay/main.rs"


def test_sizes_are_those_of_bytes() -> None:
    assert estimated_tokens("Größe") == len("Größe".encode()) // 3 == 2
    assert estimated_tokens("漢字漢字") == 4


def test_the_last_message_may_be_the_agents(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Moor.")
    for _ in range(90):
        log.agent({"type": "text", "text": "still mooring"})
    log.written()
    assert "- first message: 2026-03-01 10:00 UTC\n- last message: 2026-03-01 10:01 UTC" in page(tmp_path)


def test_known_records_give_no_warning_and_unknown_ones_are_counted(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.user("Moor.")
    log.add("custom-title", customTitle="Mooring")
    log.add("ai-title", aiTitle="Boats")
    log.add("attachment", attachment={"type": "skill_listing"})
    log.add("system", subtype="stop_hook_summary", hookCount=1)
    for _ in range(3):
        log.add("semaphore", flags="up")
    log.add("lantern")
    log.written([*log.lines, '{"torn'])
    shown = page(tmp_path)
    assert shown.startswith("# Mooring\n")
    unread = shown.partition("## Records that were not read\n\n")[2].partition("\n\n")[0].split("\n")
    assert unread[0] == "- records of the unknown type 'semaphore' were not read: 3"
    assert unread[1].startswith("- not JSON:")
    assert unread[2:] == ["- records of the unknown type 'lantern' were not read: 1"]


def test_nothing_is_written_but_the_answer(tmp_path: Path, monkeypatch: Any) -> None:
    """The older renderer left files in the folder for temporary ones, which everybody could read."""
    log = Log(tmp_path / "home")
    log.user("Moor.")
    log.written()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    before = sorted(tmp_path.rglob("*"))
    page(tmp_path / "home")
    assert sorted(tmp_path.rglob("*")) == before


def test_one_answer_in_several_lines_counts_once(tmp_path: Path) -> None:
    """Claude Code repeats the usage of an answer on each of its lines."""
    log = Log(tmp_path)
    log.user("Moor.")
    for text in ("one", "two"):
        usage = {"input_tokens": 10, "output_tokens": 7}
        block = {"type": "text", "text": text}
        log.add("assistant", message={"id": "a1", "role": "assistant", "content": [block], "usage": usage})
    log.written()
    shown = page(tmp_path)
    assert "- tokens written by the model: 7" in shown
    assert "- messages of the assistant: 1" in shown
    assert len(exchanges_of(read(tmp_path).session)) == 1

"""Writes fictional homes of pi and tallow: `python tests/make_pi.py FOLDER`. The lighthouse of make_fixtures."""

from __future__ import annotations

import sys
import zlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.make_fixtures import HOME, IMAGE, START, lines

FIRST, SECOND, FORK = (f"019e0000-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))
OUTPUT = "pi-bash-0123456789abcdef.log"


def iso(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def file_name(session: str) -> str:
    return f"{iso(START).replace(':', '-').replace('.', '-')}_{session}.jsonl"


class Tree:
    """Builds the lines of one session file; each entry follows the one before it unless told otherwise."""

    def __init__(self, session: str, cwd: str = HOME, **more: Any) -> None:
        self.records: list[dict[str, Any]] = [
            {"type": "session", "version": 3, "id": session, "timestamp": iso(START), "cwd": cwd, **more}
        ]
        self.last: str | None = None
        self.session = session

    def key(self, number: int) -> str:
        """The id of the entry on this line of the file, counted from 0."""
        return f"{zlib.crc32(f'{self.session}/{number}'.encode()):08x}"

    def add(self, kind: str, /, parent: str | None = "", **more: Any) -> str:
        """Appends an entry and returns its id."""
        number = len(self.records)
        key = self.key(number)
        above = self.last if parent == "" else parent
        entry = {"type": kind, "id": key, "parentId": above, "timestamp": iso(START + 1000 * number)}
        self.records.append({**entry, **more})
        self.last = key
        return key

    def said(self, role: str, content: Any, /, parent: str | None = "", **more: Any) -> str:
        return self.add("message", parent=parent, message={"role": role, "content": content, **more})

    def result(self, call: str, text: str, **more: Any) -> str:
        content = [{"type": "text", "text": text}, {"type": "image", "data": IMAGE}]
        return self.said("toolResult", content, toolCallId=call, toolName="bash", isError=False, **more)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(key: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": key, "name": name, "arguments": arguments}


def branched(folder: Path | None = None) -> Tree:
    """A session with a branch that was left, a name, a label, commands and every kind of entry."""
    t = Tree(FIRST)
    t.add("model_change", provider="inkwell", modelId="quill-1")
    t.said("user", [text("Why does the lamp flicker at dusk?"), {"type": "image", "data": IMAGE}])
    thought = {"type": "thinking", "thinking": "Loose contact, violet heron."}
    read = call("c1", "read", path="lamp/wiring.py")
    asked = t.said("assistant", [thought, text("I will look."), read], model="quill-1")
    t.result("c1", "def flicker(): ...")
    t.said("assistant", [call("c2", "bash", command="pytest -k lamp")], model="quill-1")
    t.said("toolResult", [text("LampError: dark")], toolCallId="c2", toolName="bash", isError=True)
    t.said("assistant", [call("c3", "bash", command="cat lamp.log")], model="quill-1")
    full = str(folder / OUTPUT) if folder else f"/elsewhere/{OUTPUT}"
    t.result("c3", "the end of the log", details={"fullOutputPath": full})
    t.said("user", "Try another bulb, amber falcon", parent=asked)
    t.said("assistant", [text("A new bulb flickers as well.")], model="quill-1")
    t.add("branch_summary", parent=t.key(7), fromId=asked, summary="A new bulb did not help.")
    t.said("user", "Solder the contact then")
    t.said("assistant", [], model="quill-1", stopReason="error", errorMessage="429 too many gulls")
    t.said("bashExecution", None, command="lampctl on", output="lamp: no power", exitCode=3, excludeFromContext=True)
    t.add("custom", customType="todo", data={"items": ["never to be found: walrus"]})
    t.add("custom_message", customType="note", content="Injected: copper anchor", display=True)
    answered = t.said("assistant", [text("Soldered.")], model="quill-1")
    t.add("label", targetId=answered, label="done at last")
    t.add("label", targetId=answered, label="soldered for good")
    t.add("session_info", name="Flickering lamp")
    return t


def compacted() -> Tree:
    """A session whose beginning was summed up, without a name."""
    t = Tree(SECOND)
    t.said("user", "<system-reminder>nothing to do</system-reminder>")
    t.said("user", "Count the gulls on the gallery")
    t.said("assistant", [text("Nineteen gulls.")], model="quill-1")
    kept = t.said("user", "And the puffins?")
    t.add("compaction", summary="Gulls were counted: amber harbour.", firstKeptEntryId=kept, tokensBefore=9,
          details={"readFiles": ["gulls.csv"], "modifiedFiles": ["gulls.csv", "count.py"]})  # fmt: skip
    t.said("assistant", [text("No puffins.")], model="quill-1")
    return t


def forked() -> Tree:
    """A fork of the second session: all its entries again, and one of its own."""
    t = Tree(FORK, parentSession=f"/elsewhere/sessions/--home-mara-lamp--/{file_name(SECOND)}")
    t.records[0]["timestamp"] = iso(START + 60_000)
    original = compacted()
    t.records += original.records[1:]
    t.last = original.last
    t.said("user", "Now count the seals in this fork")
    return t


def write_pi(home: Path) -> Path:
    """`.pi` in this home, with a folder a project."""
    folder = home / ".pi" / "agent" / "sessions" / "--home-mara-lamp--"
    folder.mkdir(parents=True)
    for session, tree in ((FIRST, branched(home)), (SECOND, compacted()), (FORK, forked())):
        (folder / file_name(session)).write_bytes(lines(tree.records))
    return home / ".pi"


def write_tallow(home: Path) -> Path:
    """Two homes of tallow below this one: `.tallow`, flat and by project, and one that the list of folders names."""
    first = home / ".tallow" / "sessions"
    second = home / ".tallow-keeper" / "sessions" / "--srv-keeper--"
    for folder in (first, second, home / ".config"):
        folder.mkdir(parents=True)
    (first / file_name(SECOND)).write_bytes(lines(compacted().records))
    oldest = [{key: value for key, value in each.items() if key not in {"id", "parentId", "version"}}
              for each in compacted().records[:4]]  # fmt: skip
    oldest[0]["id"] = "legacy-1"
    (first / "2025-01-01_legacy-1.jsonl").write_bytes(lines(oldest))
    (second / file_name(FIRST)).write_bytes(lines(branched().records))
    named = f"# folder : home\n/srv/keeper:{home / '.tallow-keeper'}\nno colon here\n/srv/gone:~/.tallow-gone\n"
    (home / ".config" / "tallow-work-dirs").write_text(named)
    return home


if __name__ == "__main__":
    write_pi(Path(sys.argv[1]))
    write_tallow(Path(sys.argv[1]))

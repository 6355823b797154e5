"""A machine with Claude Code: a home folder, a project, session files with invented words, and calls of its hooks."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

FIRST = "5e0f9d2a-0000-4000-8000-00000000000a"
SECOND = "5e0f9d2a-0000-4000-8000-00000000000b"


def tree(folder: Path) -> dict[str, bytes | None]:
    """Return every file below a folder with its content and mode, and every folder with None."""
    found: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = path.read_bytes() + b" %o" % path.stat().st_mode if path.is_file() else None
    return found


class ClaudeMachine:
    """A home folder with Claude Code's sessions, and a project beside it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.project = folder / "quay"
        self.sessions = self.home / ".claude" / "projects" / "-srv-quay"
        self.sessions.mkdir(parents=True)
        self.project.mkdir()

    def path_with_program(self) -> str:
        """Return the PATH of this process with a folder before it that holds a program named recall-rank."""
        program = self.home / "bin" / "recall-rank"
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o700)
        return f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    @property
    def context(self) -> Path:
        return self.project / ".claude" / "recall-context.md"

    @property
    def cache(self) -> Path:
        return self.home / ".cache" / "recall_rank"

    def session(self, session_id: str, *said: str) -> Path:
        """Write a session in which a user and an agent say these texts in turn; return its file."""
        path = self.sessions / f"{session_id}.jsonl"
        lines = []
        for at, text in enumerate(said):
            role = "assistant" if at % 2 else "user"
            content: Any = [{"type": "text", "text": text}] if at % 2 else text
            message = {"role": role, "content": content, **({"id": f"{session_id}-{at}"} if at % 2 else {})}
            about = {
                "type": role,
                "uuid": f"{session_id}-u{at}",
                "sessionId": session_id,
                "cwd": str(self.project),
                "timestamp": f"2026-03-01T10:{at // 60 % 60:02}:{at % 60:02}.000Z",
            }
            lines.append(json.dumps({**about, "message": message}))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def call(self, event: str, session_id: str, **more: Any) -> bytes:
        """Return what Claude Code writes to the stdin of a hook."""
        given = {
            "session_id": session_id,
            "transcript_path": str(self.sessions / f"{session_id}.jsonl"),
            "cwd": str(self.project),
            "hook_event_name": event,
        }
        return json.dumps({**given, **more}).encode()

    def before(self, session_id: str, **more: Any) -> bytes:
        """Return the call before a compaction."""
        return self.call("PreCompact", session_id, **{"trigger": "auto", "custom_instructions": None, **more})

    def start(self, session_id: str, source: str, **more: Any) -> bytes:
        """Return the call at the start of a session."""
        return self.call("SessionStart", session_id, source=source, **more)

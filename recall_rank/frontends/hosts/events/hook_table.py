"""The hooks of each host: their events, the names of the fields of a call, and the form of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

START: Final = "start"  # of a session, also after a compaction
MESSAGE: Final = "message"  # of the user, before the model reads it
COMPACTION: Final = "compaction"  # before the host replaces a conversation by a summary
END: Final = "end"  # of a session

SPECIFIC: Final = "specific"  # {"hookSpecificOutput": {"hookEventName": EVENT, "additionalContext": TEXT}}
FLAT: Final = "flat"  # {"additionalContext": TEXT}
PLAIN: Final = "plain"  # TEXT itself, which Claude Code adds to the instructions of a compaction


class HookEvent(NamedTuple):
    """An event of a host: its kind, such as START, and the form of an answer; `form` is "" where no text that a hook
    gives reaches the model.
    """

    kind: str
    form: str = ""


class HookHost(NamedTuple):
    """The hooks of a host: its events by their names, and the names of the fields in which a call has the id of the
    session and the path of its transcript.
    """

    name: str
    events: Mapping[str, HookEvent]
    session_field: str = "session_id"
    transcript_field: str = "transcript_path"


# No other key may stand in an answer to Codex, which would drop the whole answer.
HOOK_HOSTS: Final[Mapping[str, HookHost]] = {
    host.name: host
    for host in (
        HookHost(
            "claude-code",
            {
                "SessionStart": HookEvent(START, SPECIFIC),
                "UserPromptSubmit": HookEvent(MESSAGE, SPECIFIC),
                "PreCompact": HookEvent(COMPACTION, PLAIN),
                "SessionEnd": HookEvent(END),
            },
        ),
        HookHost(
            "codex",
            {
                "SessionStart": HookEvent(START, SPECIFIC),
                "UserPromptSubmit": HookEvent(MESSAGE, SPECIFIC),
                "PreCompact": HookEvent(COMPACTION),
                "SessionEnd": HookEvent(END),
            },
        ),
        # What SessionStart gives, Gemini CLI puts before the first message, where a slash command then is none.
        HookHost(
            "gemini",
            {
                "SessionStart": HookEvent(START),
                "BeforeAgent": HookEvent(MESSAGE, SPECIFIC),
                "PreCompress": HookEvent(COMPACTION),
                "SessionEnd": HookEvent(END),
            },
        ),
        HookHost(
            "copilot",
            {
                "sessionStart": HookEvent(START, FLAT),
                "userPromptSubmitted": HookEvent(MESSAGE, FLAT),
                "preCompact": HookEvent(COMPACTION),
                "sessionEnd": HookEvent(END),
            },
            session_field="sessionId",
            transcript_field="transcriptPath",
        ),
    )
}

"""Keep text that this package recalled into a conversation out of the search, so that a hit never returns as a hit.

Hosts store what a hook added in different places: in a message part of its own, at an end of the user's text, in a
message of a program. The tags around it are the same everywhere, and so are the notices of the tools' answers.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from recall_rank.model import Flag, Message, Part, Session
from recall_rank.model.recalled_text import AUTO_RECALL_TAG, COMPACTION_TAG, NOTICE, NUDGE

NOT_SEARCHED: Final = Flag.SYNTHETIC | Flag.UNSEARCHED
_OPENING: Final = "<recall-"
_TAGS: Final = f"{AUTO_RECALL_TAG}|{COMPACTION_TAG}"
_EDGE: Final = re.compile(rf"^[ \t]*<(?P<closing>/?)(?P<tag>{_TAGS})>[ \t]*$", re.MULTILINE)
_BY_HOOK: Final = re.compile(r"\s*<(?:hook_context|hook_prompt|user-prompt-submit-hook|post-tool-use-hook)\b")
_HEAD: Final = 1000  # characters of an output in which the notice of a recall tool stands
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def without_recalled_text(session: Session) -> Session:
    """Return the session with recalled text left out of the search; usually the session itself.

    A block of recalled text, or a reminder that recall exists, is removed from a text that says more. A part that
    consists of them, a part that another hook put in, and the answer of a recall tool under any other name keep their
    text and get the flag UNSEARCHED.
    """
    messages: list[Message] = []
    changed = False
    for message in session.messages:
        parts = [_checked(part) for part in message.parts]
        if any(new is not old for new, old in zip(parts, message.parts, strict=True)):
            changed = True
            message = replace(message, parts=tuple(parts))
        messages.append(message)
    return replace(session, messages=tuple(messages)) if changed else session


def _checked(part: Part) -> Part:
    text = part.text
    if text:
        if part.flags & Flag.SYNTHETIC and _BY_HOOK.match(text):
            return replace(part, flags=part.flags | Flag.UNSEARCHED)
        if _OPENING in text or NUDGE in text:
            said = _without_blocks(text).replace(NUDGE, "")
            if len(said) == len(text):
                return part
            if not said.strip():
                return replace(part, flags=part.flags | NOT_SEARCHED)
            return replace(part, text=_BLANK_LINES.sub("\n\n", said).strip())
    output = part.output
    if output and NOTICE in output[: _HEAD + len(NOTICE)]:
        return replace(part, flags=part.flags | Flag.UNSEARCHED)
    return part


def _without_blocks(text: str) -> str:
    """Return the text without the blocks that stand between two tags, each alone on its line, in linear time."""
    kept: list[str] = []
    at = 0
    opened: re.Match[str] | None = None
    for edge in _EDGE.finditer(text):
        if not edge["closing"]:
            opened = opened or edge
        elif opened is not None and opened["tag"] == edge["tag"]:
            kept.append(text[at : opened.start()])
            at, opened = edge.end(), None
    return "".join([*kept, text[at:]])

"""Convert the entries of pi and tallow sessions to message parts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from recall_rank.loaders.content.external_outputs import TemporaryOutputs
from recall_rank.loaders.content.fast_replace import with_result
from recall_rank.loaders.content.titles import is_injected
from recall_rank.loaders.content.usage import dollars, tokens_of
from recall_rank.loaders.content.values import mapping, text_of, touched_files
from recall_rank.model import Flag, Part, Tokens

_FULL_OUTPUT = re.compile(r"pi-bash-[0-9a-f]+\.log")


class FullOutputs(TemporaryOutputs):
    """Reads tool outputs that were too long for their entry from the temporary files that pi wrote."""

    def __init__(self, owner: int) -> None:
        super().__init__(_FULL_OUTPUT, owner)
        self._gone: list[str] = []

    def read(self, recorded: Any) -> str | None:
        """Return the text of the output at the path `recorded`; None without a path, and when the file is gone or is
        not one that pi wrote to the temporary folder.
        """
        found = super().read(recorded)
        if found is None and type(recorded) is str and recorded:
            self._gone.append(re.split(r"[\\/]", recorded)[-1])
        return found

    def warnings(self) -> list[str]:
        """Return a list with one warning that counts the outputs that could not be read; an empty list when there are
        none.
        """
        more = f" and {len(self._gone) - 1} more" if len(self._gone) > 1 else ""
        return [f"full outputs are gone, what was kept of them is read: {self._gone[0]}{more}"] if self._gone else []


def content_parts(key: str, content: Any) -> list[Part] | None:
    """Return the message parts of a message's content, which is a text or a list of blocks; None when it is neither."""
    if type(content) is str:
        return [_text(f"{key}:0", content)] if content else []
    if type(content) is not list:
        return None
    parts = (_block(f"{key}:{index}", block) for index, block in enumerate(content))
    return [part for part in parts if part is not None]


def _block(key: str, block: Any) -> Part | None:
    if type(block) is str:
        return _text(key, block)
    if type(block) is not dict:
        return None
    kind = block.get("type")
    if kind == "toolCall":
        tool_input = block.get("arguments")
        return Part(
            key,
            "tool",
            tool=text_of(block.get("name")),
            input=tool_input,
            status="pending",
            files=touched_files(tool_input),
        )
    if kind == "thinking":
        text = text_of(block.get("thinking"))
        return Part(key, "reasoning", text) if text else None
    if kind == "image":
        return Part(key, "file")
    text = text_of(block.get("text"))
    if not text:
        return None
    return _text(key, text) if kind == "text" else Part(key, text_of(kind) or "text", text)


def _text(key: str, text: str) -> Part:
    return Part(key, "text", text, flags=Flag.SYNTHETIC if is_injected(text) else Flag.NONE)


def answered(call: Part, message: dict[str, Any], outputs: FullOutputs) -> Part:
    """Return the tool call with its output, in full when the temporary file of the output still exists."""
    whole = outputs.read(mapping(message.get("details")).get("fullOutputPath"))
    return _ended(call, whole or _plain(message.get("content")), failed=bool(message.get("isError")))


def executed(key: str, message: dict[str, Any], outputs: FullOutputs) -> Part:
    """Return the message part made from a command that the user ran, with the command's output."""
    code = message.get("exitCode")
    call = Part(key, "tool", tool="bash", input={"command": text_of(message.get("command")) or ""})
    whole = outputs.read(message.get("fullOutputPath"))
    failed = type(code) is int and code != 0
    done = _ended(call, whole or text_of(message.get("output")), failed=failed)
    return replace(done, status="cancelled") if message.get("cancelled") else done


def summary(key: str, record: dict[str, Any]) -> Part:
    """Return the message part made from the summary of a compaction or an abandoned branch, with the files that the
    summary names.
    """
    details = mapping(record.get("details"))
    listed = [details.get(kind) for kind in ("readFiles", "modifiedFiles")]
    files = [path for paths in listed if type(paths) is list for path in paths if type(path) is str]
    return Part(key, "compaction", text_of(record.get("summary")), files=tuple(dict.fromkeys(files)))


def _ended(call: Part, text: str | None, *, failed: bool) -> Part:
    return with_result(call, text, failed=failed)


def _plain(content: Any) -> str | None:
    """Return the output of a tool as text; images are left out."""
    if type(content) is not list:
        return text_of(content)
    texts = [text_of(block.get("text")) for block in content if type(block) is dict]
    return "\n".join(text for text in texts if text) or None


def used(message: dict[str, Any]) -> tuple[Tokens | None, float | None]:
    """Return the token counts and the cost in US dollars of an answer; each is None when absent. pi counts cached
    tokens apart; here they are included.
    """
    usage = message.get("usage")
    if type(usage) is not dict:
        return None, None
    read = usage.get("cacheRead")
    tokens = tokens_of(usage.get("input"), usage.get("output"), read, beside_sent=(read, usage.get("cacheWrite")))
    return tokens, dollars(mapping(usage.get("cost")).get("total"))

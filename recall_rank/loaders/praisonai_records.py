"""The records of one session file of PraisonAI, in the order and with the numbers that PraisonAI itself gives them.

PraisonAI numbers the messages of a session from 0 on over a joined list: first the archived messages, which a
compaction has moved away, then the active ones.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from recall_rank.loaders.content.values import mapping, text_of
from recall_rank.loaders.files.blocks import read_blocks
from recall_rank.loaders.files.regular_files import open_file
from recall_rank.loaders.json.document import JsonDocument
from recall_rank.loaders.json.parse import Record
from recall_rank.model import Malformed

ARCHIVED = "archived_messages"
ACTIVE = "messages"
_LINEAGE = ("lineage_id", "root_session_id", "thread_id")


class MessageKeys:
    """Gives each message record of a session its key, the part of its id behind the session's id.

    A summary that a compaction puts in before existing messages does not count, so their keys do not change.
    """

    def __init__(self) -> None:
        self._count = 0

    def key(self, record: Record) -> str:
        """Return the key of `record`: "m1", "m2" and so on, or "summary" and a number for a summary by a compaction.

        To be called once for each record that has a role, in their order; this is not checked.
        """
        if mapping(record.get("metadata")).get("compaction"):
            return f"summary{self._count}"
        self._count += 1
        return f"m{self._count}"


@dataclass(frozen=True, slots=True)
class StoredChat:
    """The records of a session file: `head` is the document without its lists of messages."""

    head: Record
    archived: Sequence[Record]
    active: Sequence[Record]
    malformed: Sequence[Malformed] = ()

    @property
    def records(self) -> list[Record]:
        """The messages in the order of their numbers."""
        return [*self.archived, *self.active]

    def said(self, key: str) -> Any:
        """Return the value of `key`, which older versions keep at the top level of the file and newer ones in the
        metadata; None when it has none.
        """
        value = mapping(self.head.get("metadata")).get(key)
        return self.head.get(key) if value is None else value

    @property
    def lineage(self) -> str | None:
        """The id that the continuations of one conversation share; None for a conversation without one."""
        metadata = mapping(self.head.get("metadata"))
        return next((str(found) for key in _LINEAGE if (found := self.head.get(key) or metadata.get(key))), None)

    def numbers(self, session_id: str) -> dict[str, int]:
        """Return a mapping from message id, as the loader of PraisonAI makes it, to the message's number, which counts
        from 0 over the archived messages and then the active ones.
        """
        keys = MessageKeys()
        return {
            f"{session_id}:{keys.key(record)}": number for number, record in enumerate(self.records) if "role" in record
        }


def read_chat(path: Path, root: Path | None = None) -> StoredChat:
    """Return the records of the file at `path`; of a damaged file, those that can be read. Raises OSError."""
    with open_file(path, root) as file:
        document = JsonDocument(read_blocks(file), str(path), ACTIVE)
        active = [record for _, record in document]
    archived = document.head.get(ARCHIVED)
    kept = [record for record in archived if type(record) is dict] if type(archived) is list else []
    return StoredChat(document.head, kept, active, document.malformed)


def parse_chat(raw: bytes) -> StoredChat:
    """Return the records of a whole session file. Raises ValueError for bytes that are not one JSON object in UTF-8."""
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        document = json.loads(raw.decode("utf-8"))  # knows NaN and lone surrogates; raises ValueError
    if type(document) is not dict:
        raise ValueError(f"not an object but {_kind(document)}")
    lists = [document.pop(name, None) for name in (ARCHIVED, ACTIVE)]
    archived, active = (
        [record for record in each if type(record) is dict] if type(each) is list else [] for each in lists
    )
    return StoredChat(document, archived, active)


def session_id_of(chat: StoredChat, path: Path) -> str:
    """Return the id of a session: that in its file, else the name of the file."""
    return text_of(chat.head.get("session_id")) or path.stem


def safe_name(session_id: str) -> str:
    """Return the name of a session's file without its suffix, by PraisonAI's rule: each character of the id that is no
    letter, digit, "-" or "_" becomes "_".
    """
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in session_id)


def _kind(value: object) -> str:
    return {list: "a list", str: "a text", type(None): "null"}.get(type(value), "a number or true or false")

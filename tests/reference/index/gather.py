"""The columns of a segment as lists of numbers."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from tests.reference.index.builder import SegmentBuilder
from tests.reference.text.fields import TEXT, fields
from tests.reference.text.passages import passage_ends


def without_surrogates(text: str) -> bytes:
    return re.sub("[\ud800-\udfff]", "\ufffd", text).encode()


class Ids:
    """A list of strings."""

    def __init__(self) -> None:
        self.values: list[str] = []

    def __len__(self) -> int:
        return len(self.values)

    def buffers(self) -> tuple[bytes, memoryview]:
        encoded = [value.encode("utf-8", "surrogatepass") for value in self.values]
        starts = [sum(map(len, encoded[:k])) for k in range(len(encoded) + 1)]
        return b"".join(encoded), memoryview(array("Q", starts))


GATHERED = {
    **dict.fromkeys(("session_talk", "message_role", "doc_class"), "B"),
    **dict.fromkeys(("part_flags", "doc_words"), "H"),
    **dict.fromkeys(("message_session", "message_author", "message_first_part", "message_asked"), "I"),
    **dict.fromkeys(("part_message", "part_type", "part_tool", "part_first_doc", "part_first_field"), "I"),
    **dict.fromkeys(("doc_part", "folded_part"), "I"),
    **dict.fromkeys(("part_start", "field_start", "doc_start", "folded_start"), "Q"),
    "message_time": "q",
}

LAST_TIME = 253_402_300_799_999  # the end of the year 9999, ms


def known_time(time: int) -> int:
    """The time in ms, or 0 (unknown) outside of the years 1970 to 9999."""
    return time if 0 <= time <= LAST_TIME else 0


class Gatherer:
    """Columns as lists of numbers."""

    def __init__(
        self,
        builder: SegmentBuilder,
        roles: dict[str, int],
        number: Callable[[str | None], int],
        kind: Callable[[int, str, bool, str, bool], int],
        hidden: Callable[[str], bool],
        said: Callable[[int, bytes, bool], int],
        fold: Callable[[str], str],
        longest: int,
    ) -> None:
        self.builder, self.roles, self.number, self.kind = builder, roles, number, kind
        self.hidden, self.said, self.fold, self.longest = hidden, said, fold, longest
        self.columns: dict[str, list[int]] = {name: [] for name in GATHERED}
        self.columns["folded_start"].append(0)
        self.text, self.folded_text = bytearray(), bytearray()
        self.message_ids, self.part_ids = Ids(), Ids()
        self.asked: int | None = None

    def __len__(self) -> int:
        return len(self.message_ids)

    def _row(self, **values: int) -> None:
        for name, value in values.items():
            self.columns[name].append(value)

    def title(
        self,
        key: str,
        title: str | None,
        directory: str | None,
        flags: int,
        time: int,
        role: int,
        kind: int,
        talk: int,
    ) -> None:
        self._row(session_talk=talk)
        self.asked = None
        self._message("", role, time, None, len(self))
        content = [(TEXT, title)] if title else []
        self._part(key, "title", None, flags, kind, content, [(b"\x03", directory)], bool(title or directory))

    def messages(self, messages: Iterable[Any], flags: int, people: bool) -> None:
        for message in messages:
            if message.role == "user" and "text" in [part.type for part in message.parts]:
                self.asked = len(self)
            place = len(self) if self.asked is None else self.asked
            self._message(message.id, self.roles.get(message.role, 2), known_time(message.time), message.author, place)
            for part in message.parts:
                both = part.flags | message.flags | flags
                kind = self.kind(both, part.type, bool(part.error or part.flags & 128), message.role, people)
                unsearched = part.flags & 512 or (part.tool and self.hidden(part.tool))
                content = [] if unsearched else fields(part)
                extra = [(b"\x02", message.author), (b"\x01", part.tool)]
                self._part(part.id, part.type, part.tool, both, kind, content, extra, bool(content))

    def _message(self, key: str, role: int, time: int, author: str | None, asked: int) -> None:
        session = len(self.columns["session_talk"]) - 1
        self.message_ids.values.append(key)
        self._row(message_session=session, message_role=role, message_time=time, message_asked=asked)
        self._row(message_author=self.number(author), message_first_part=len(self.part_ids))

    def _part(
        self,
        key: str,
        kind: str,
        tool: str | None,
        flags: int,
        doc_class: int,
        content: list[tuple[int, str]],
        extra: list[tuple[bytes, str | None]],
        searched: bool,
    ) -> None:
        number = len(self.part_ids)
        self.part_ids.values.append(key)
        self._row(part_message=len(self) - 1, part_type=self.number(kind), part_tool=self.number(tool))
        self._row(part_flags=flags)
        self._ends("part_start", "part_first_doc", "part_first_field")
        place = len(self.text)
        for label, value in content:
            self._row(field_start=len(self.text))
            self.text += bytes([label]) + without_surrogates(value)
        beyond = "".join(c for _, value in content for c in without_surrogates(value).decode() if c > "\x7f")
        if self.fold(beyond) != beyond:
            for label, value in content:
                self.folded_text += bytes([label]) + without_surrogates(self.fold(value))
            self._row(folded_part=number, folded_start=len(self.folded_text))
        text = bytes(self.text[place:])
        for start, end in pairwise([0, *passage_ends(text, self.longest)]) if searched else ():
            tagged = [(tag, without_surrogates(value)) for tag, value in extra if value and start == 0]
            words = self.builder.add(text, start, end, tagged)
            beside, known = divmod(doc_class, 16)
            known = beside * 16 + (self.said(known, text[start:end], start > 0) if known in (1, 9) else known)
            self._row(doc_start=place + start, doc_part=number, doc_words=min(words, 65535), doc_class=known)

    def _ends(self, *names: str) -> None:
        ends = {
            "message_first_part": len(self.part_ids),
            "part_first_doc": len(self.columns["doc_part"]),
            "part_first_field": len(self.columns["field_start"]),
        }
        self._row(**{name: ends.get(name, len(self.text)) for name in names})

    def snapshot(self) -> dict[str, memoryview]:
        columns = {name: list(column) for name, column in self.columns.items()}
        found = self.finish()
        self.columns = columns
        return found

    def finish(self) -> dict[str, memoryview]:
        self._ends("message_first_part", "part_start", "part_first_doc", "part_first_field", "field_start", "doc_start")
        return {name: memoryview(array(code, self.columns[name])) for name, code in GATHERED.items()}

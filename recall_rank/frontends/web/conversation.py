"""Messages of a session as a page shows them: who spoke, texts in pieces, tools folded, what was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from recall_rank.frontends.transcripts.labels import part_heading, part_texts, who_of
from recall_rank.frontends.transcripts.markdown import cut_line
from recall_rank.frontends.web.text_pieces import Block, TextLook
from recall_rank.model import Flag, Message, Part, Tokens
from recall_rank.model.serialize_transcript import part_to_dict

SUMMARY_CHARS: Final = 120  # of the first text of a tool call, beside its name
_SHELLS: Final = ("command", "cmd")  # inputs of tools that are commands of a shell
_FLAGS: Final = (
    (Flag.SUBAGENT, "subagent"),
    (Flag.ABANDONED, "abandoned branch"),
    (Flag.SYNTHETIC, "put in by the program"),
    (Flag.SUMMARY, "summary"),
    (Flag.ERROR, "error"),
)


@dataclass(frozen=True, slots=True)
class CutOff:
    """The stretch of a text that is shown: characters [start, end) of `total`."""

    start: int
    end: int
    total: int

    @property
    def left_out(self) -> int:
        """The number of characters that are not shown."""
        return self.total - (self.end - self.start)


@dataclass(frozen=True, slots=True)
class ShownText:
    """One text of a part: its name, such as "output", its kind ("text", "tool" or "error") and its blocks."""

    name: str
    kind: str
    blocks: tuple[Block, ...]
    cut: CutOff | None = None  # None where all of it is shown


@dataclass(frozen=True, slots=True)
class ShownPart:
    """One part of a message. A folded one shows its heading and summary until it is opened."""

    kind: str  # said, tool or reasoning
    heading: str
    summary: str
    folded: bool
    opened: bool
    texts: tuple[ShownText, ...]


@dataclass(frozen=True, slots=True)
class ShownMessage:
    """One message; `number` is its place in the session, from 1."""

    number: int
    role: str
    who: str
    about: tuple[str, ...]  # flags, tokens and cost, as words
    parts: tuple[ShownPart, ...]


@dataclass(slots=True)
class Excerpts:
    """Makes messages ready for a page, with characters [start, start + most) of each text; all when `most` is None."""

    look: TextLook = field(default_factory=TextLook)
    most: int | None = None
    start: int = 0

    def messages(self, numbered: Iterable[tuple[int, Message]]) -> Iterator[ShownMessage]:
        """Yield messages, each given with its number, as they are shown."""
        for number, message in numbered:
            parts = tuple(filter(None, (self._part(part) for part in message.parts)))
            role = message.role if message.role in ("user", "assistant", "system", "tool") else "other"
            yield ShownMessage(number, role, who_of(message), tuple(_about(message)), parts)

    def _part(self, part: Part) -> ShownPart | None:
        entry = part_to_dict(part)
        heading = part_heading(entry)
        kind = "tool" if "tool_name" in entry else "reasoning" if heading else "said"
        given = list(part_texts(entry))
        texts = tuple(self._text(*each) for each in given)
        if not texts and not heading:
            return None
        folded = kind != "said"
        summary = cut_line(given[0][1][: 4 * SUMMARY_CHARS], SUMMARY_CHARS) if folded and given else ""
        opened = folded and any(piece.marked for text in texts for block in text.blocks for piece in block.pieces)
        return ShownPart(kind, heading, summary, folded, opened, texts)

    def _text(self, name: str, text: str, kind: str) -> ShownText:
        total = len(text)
        shown = text if self.most is None else text[self.start : self.start + self.most]
        cut = None if len(shown) == total else CutOff(self.start, self.start + len(shown), total)
        shown = shown.rstrip("\n")
        blocks = self.look.code(shown, "bash") if kind == "tool" and name in _SHELLS else self.look.blocks(shown)
        return ShownText(name, kind, tuple(blocks), cut)


def _about(message: Message) -> Iterator[str]:
    yield from (word for flag, word in _FLAGS if message.flags & flag)
    yield from figures_in_words(message.tokens, message.cost)


def figures_in_words(tokens: Tokens | None, cost: float | None) -> Iterator[str]:
    """Yield what is recorded of tokens and cost, such as "1,200 tokens in" and "$0.02"."""
    counts: Mapping[str, Any] = {} if tokens is None else {"in": tokens.input, "out": tokens.output}
    yield from (f"{count:,} tokens {way}" for way, count in counts.items() if count is not None)
    if tokens is not None and tokens.cached:
        yield f"{tokens.cached:,} of them from a cache"
    if cost is not None:
        yield f"${cost:,.2f}" if cost >= 0.1 else f"${cost:.4f}"

"""What of a part is searchable, and the forms in which words are compared."""

from __future__ import annotations

import enum
import re
from functools import lru_cache
from typing import Any

from recall_rank._core.text.fields import fields as fields_of
from recall_rank.model import Part

# The five tools of the recall frontends: their answers repeat what was found and must never be found themselves.
RECALL_TOOLS = ("recall", "recall_get", "recall_context", "recall_messages", "recall_sessions")
_RECALL_TOOL = re.compile(r"(?:^|[._/-])(?:" + "|".join(RECALL_TOOLS) + r")$")
_SURROGATES = re.compile("[\ud800-\udfff]")


class Field(enum.IntEnum):
    """A field of a part. The value is the byte that begins it in the text of a segment: no UTF-8 text holds it."""

    TEXT = 0xF8
    OUTPUT = 0xF9
    ERROR = 0xFA
    COMMAND = 0xFB
    INPUT = 0xFC
    TOOL_TITLE = 0xFD
    PROMPT = 0xFE
    CWD = 0xFF


FIELD_NAMES = {
    Field.TEXT: "text",
    Field.OUTPUT: "stdout",
    Field.ERROR: "stderr",
    Field.COMMAND: "command",
    Field.INPUT: "input",
    Field.TOOL_TITLE: "tool_name",
    Field.PROMPT: "text",
    Field.CWD: "cwd",
}


_FIELDS = {int(field): field for field in Field}  # quicker than Field() of a byte


@lru_cache(maxsize=1024)
def is_recall_tool(name: str | None) -> bool:
    """Whether a tool is one of the recall tools, also under a namespace: mcp__x__recall is, myrecall is not."""
    return name is not None and _RECALL_TOOL.search(name) is not None


def fields(part: Part) -> list[tuple[Field, str]]:
    """The searchable fields of a part in order; none for the recall tools' own output."""
    return [] if is_recall_tool(part.tool) else [(_FIELDS[label], value) for label, value in fields_of(part)]


def encode(text: str) -> bytes:
    """UTF-8 of `text`; lone surrogates become U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()


def fold(text: str) -> str:
    """The form in which literal search compares: lower case, nothing else; both forms of sigma are one."""
    return text.lower().replace("\u03c2", "\u03c3")


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """fold(), remembered: for titles, directories and names, which come again with every hit."""
    return fold(name)


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The English stem of a lower-case word (Snowball's Porter2); words with other than a-z are their own stem."""
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    return str(_stemmer().stemWord(word))


def stem_each(words: list[str]) -> list[str]:
    """stem() of words that have three letters of a-z or more, and nothing else; quicker than one by one."""
    return list(_stemmer().stemWords(words))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)


# Words that say how a thing is asked, not what: they are followed in phrases and never searched by themselves,
# unless a query has nothing else.
STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are arent as at be because been before being below between both
    but by can cannot cant could couldnt did didnt do does doesnt doing dont down during each few for from further had
    hadnt has hasnt have havent having he her here hers herself him himself his how i id if ill im in into is isnt it
    its itself ive just lets me more most my myself no nor not now of off on once only or other our ours ourselves out
    over own same shall she should shouldnt so some such than that thats the their theirs them themselves then there
    theres these they theyre theyve this those through to too under until up us very was wasnt we were werent weve what
    whats when where which while who whom whose why will with wont would wouldnt you youd youll your youre yours
    yourself yourselves youve also ever please
    """.split()
)

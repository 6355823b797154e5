"""The records of a history: sessions, their messages, and the parts of messages. All are frozen."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Literal

from recall_rank.model.record_classes import field, frozen

Role = Literal["user", "assistant", "system", "tool"]


class Flag(enum.IntFlag):
    """Facts about a session, message or part that are not in its text, such as that a tool call failed.

    A loader sets them. The engine weighs and filters by flags, and drops no record for one; only the text of a part
    that is UNSEARCHED is not indexed. A part has its own flags; those of its message and session are added during
    indexing.
    """

    NONE = 0
    SYNTHETIC = 1  # injected by the agent's program, not written by a person or the model
    SUBAGENT = 2  # a sidechain or subagent's conversation
    ABANDONED = 4  # on a branch the conversation left
    OUT_OF_CONTEXT = 8  # before a compaction, no longer sent to the model
    PRUNED = 16  # the agent dropped this output from later requests
    ARCHIVED = 32
    SUMMARY = 64  # a compaction's or branch's summary
    ERROR = 128  # a failed tool call or an error record
    SOURCE_MISSING = 256  # kept in the index although its source has it no longer
    UNSEARCHED = 512  # of a part: put in by a hook, or recalled; in transcripts, but not searchable


class Kind(enum.IntEnum):
    """The kind of a document, such as a title or a tool call; `KindWeights` has the weights.

    Values are below 16: SUBAGENT_KIND (16) is added for documents of subagents and abandoned branches.
    """

    TITLE = 0
    USER = 1  # a person's words to an agent
    ASSISTANT = 2  # the agent's prose
    REASONING = 3
    TOOL = 4  # a tool call's input and output
    TOOL_ERROR = 5
    SUBTASK = 6
    SUMMARY = 7
    INJECTED = 8  # text put in by the agent's program
    TALK = 9  # people talking with each other
    OTHER = 10
    ORDER = 11  # a person's words to an agent that hold from then on: always, never, I prefer
    QUESTION = 12  # people talking with each other, asking and saying little else
    PASTED = 13  # what follows the first passage of a person's words to an agent: nobody types a text so long
    ANSWER = 14  # an agent's prose that ends its turn: derived from ASSISTANT when an index is opened, never stored
    LOG = 15  # prose so long that most of it is code and output: derived, too


class Talk(enum.IntEnum):
    """The parties of a session: a person and an agent, or people with each other. Kernels depend on the values."""

    WORK = 0  # a user with an agent that calls tools
    PEOPLE = 1  # people with each other
    CHAT = 2  # a user with an agent that only talks


SUBAGENT_KIND = 16  # added to the kind of a document from a sidechain or abandoned branch


@frozen
class Part:
    """One part of a message: a text, reasoning, a tool call, a file and so on, as `type` tells.

    Searchable are text, prompt, output, error, title, the tool name and the strings in `input`. A loader must remove
    base64 payloads.
    """

    id: str
    type: str  # text, reasoning, tool, subtask, compaction, file, patch, ...
    text: str | None = None
    tool: str | None = None
    input: Any = None  # JSON value
    output: str | None = None
    error: str | None = None
    title: str | None = None  # the tool state's own title
    prompt: str | None = None  # a subtask's prompt; its description is text
    status: str | None = None  # completed, error, running, pending
    flags: Flag = Flag.NONE
    files: tuple[str, ...] = ()  # paths a tool call touched


@frozen
class Tokens:
    """Numbers of model tokens of a message or session, from the records of the agent; None where it recorded none.

    `input` counts all tokens sent to the model and `output` all tokens it wrote, also where the agent itself counts
    otherwise.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None  # of the input, what came from a cache
    reasoning: int | None = None  # the part of `output` spent on reasoning


@frozen
class Message:
    """One message of a session, with its parts in order. `time` is in milliseconds since 1970 UTC, 0 when unknown."""

    id: str
    role: Role
    time: int = 0
    parts: Sequence[Part] = ()
    author: str | None = None
    agent: str | None = None
    model: str | None = None
    flags: Flag = Flag.NONE
    tokens: Tokens | None = None
    cost: float | None = None  # US dollars
    parent: str | None = field(default=None, compare=False)  # the message it answers, where a store tells branches


@frozen
class Session:
    """One conversation with its messages in order. Times are in milliseconds since 1970 UTC."""

    id: str
    messages: Sequence[Message] = ()
    title: str | None = None
    directory: str | None = None
    project: str | None = None
    worktree: str | None = None
    created: int = 0
    updated: int = 0
    parent: str | None = None  # the session it came from by fork, continuation or call; of a subagent, its caller
    source: str | None = None  # the name of the store it was read from
    agent: str | None = None  # the program that wrote it
    flags: Flag = Flag.NONE
    forked_from: str | None = None  # the session whose first messages it repeats; those count there
    continues: str | None = None  # the session that a compaction closed and this one continues
    tokens: Tokens | None = None  # of the whole session, where its store records a sum
    cost: float | None = None  # US dollars for the whole session, where its store records a sum
    repository: str | None = None  # identity of its project in any clone: remote or root commit
    places: Sequence[str] = ()  # files and databases that hold it, the one it was read from first
    host: str | None = None  # the machine on which it was written, where an index has sessions of several
    user: str | None = None  # the account there

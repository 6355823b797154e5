"""Condense a session: its newest exchanges word for word, and a summary of the older ones, within 20,000 tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from recall_rank.frontends.curators.curator import CuratorError, CuratorTimeoutError, never
from recall_rank.frontends.curators.summarizer import Summarizer, summary_of
from recall_rank.frontends.curators.summary_prompt import SYSTEM, summary_prompt
from recall_rank.frontends.display_text import one_line
from recall_rank.frontends.transcripts.exchange_parts import ExchangePart, cut_end, parts_of, size_of, tokens_of
from recall_rank.frontends.transcripts.markdown import code_span, escaped_markup, quoted_lines
from recall_rank.frontends.transcripts.render import SessionTranscript, head_lines, transcript_markdown
from recall_rank.frontends.transcripts.statistics import BYTES_PER_TOKEN, estimated_tokens
from recall_rank.frontends.transcripts.unsummarized import unsummarized_lines
from recall_rank.model.option_errors import error_text


@dataclass(frozen=True, slots=True)
class CondenseLimits:
    """The limits of condensing, in estimated tokens unless a name says otherwise."""

    whole: int = 20_000  # a tenth of a context of 200,000: a session that is no longer is returned as it is
    least: int = 15_000  # of a condensed page: head and newest exchanges fill it, so that a short summary costs nothing
    slack: int = 2_000  # above `least`, to end at the beginning of an exchange; a longer one is cut in two
    head: int = 2_000  # title, statistics and files; the conversation is worth more
    asked: int = 85_000  # of one call of the summarizer, instructions included: half a context, where models read well
    calls: int = 10  # of the summarizer: 850,000 tokens; the exchanges before them are left out, and named
    at_once: int = 4  # calls: three rounds of them end within the time limit
    seconds: float = 120.0  # for all calls together; a host waits 300 for a hook
    names: int = 240  # bytes of the names of exchanges in a sentence; the others are counted
    reason: int = 200  # bytes of the reason why there is no summary; the value has all of it


LIMITS: Final = CondenseLimits()
_NAME_BYTES: Final = 100  # of a summarizer, and of a command that shows all
_LEAST_SECONDS: Final = 0.05  # a call with less time left is not made
_FRAME_TOKENS: Final = 60  # headings and line ends around summaries
_CUT_SUMMARY: Final = "*The summary was longer; the rest is left out.*"


@dataclass(frozen=True, slots=True)
class Condensed:
    """A condensed session as Markdown, and which exchanges stand in it word for word, which a summarizer was given, and
    which are left out. Each exchange, or each part of one that was cut, is in one of the three.

    `summarizer` is the name of the one that was asked, "" when none was; `problem` is why a summary is missing, "" when
    none is.
    """

    text: str
    verbatim: tuple[ExchangePart, ...]
    summarized: tuple[ExchangePart, ...] = ()
    left_out: tuple[ExchangePart, ...] = ()
    summarizer: str = ""
    problem: str = ""

    @property
    def tokens(self) -> int:
        """The estimated tokens of the text."""
        return estimated_tokens(self.text)


@dataclass(frozen=True, slots=True)
class _Older:
    """Consecutive older parts that one call summarises, and what became of them."""

    parts: tuple[ExchangePart, ...]
    summary: str = ""
    problem: str = ""


def condensed_markdown(
    transcript: SessionTranscript,
    summarizer: Summarizer | None,
    homes: Sequence[str] = (),
    *,
    seconds: float = LIMITS.seconds,
    cancelled: Callable[[], bool] = never,
    problem: str = "",
    limits: CondenseLimits = LIMITS,
) -> Condensed:
    """Return a session as a page of at most `limits.whole` estimated tokens.

    A session that fits is returned unchanged, as transcript_markdown() writes it. Of a longer one, the newest exchanges
    stand on the page word for word, head and exchanges together from `limits.least` tokens on; all before them is
    given to the summarizer in calls of at most `limits.asked` tokens, without keys and passwords, and the summaries
    stand above. They are called at the same time, the newest first, within `seconds` for all of them.

    Where `summarizer` is None, for the reason `problem`, and for what a call did not summarise, the page says so, names
    the exchanges that are left out, and gives their decisions, constraints, open tasks and root causes, and what the
    user typed, as far as that fits. Raises no CuratorError.
    """
    whole = transcript_markdown(transcript, homes)
    if estimated_tokens(whole) <= limits.whole:
        return Condensed(whole, tuple(parts_of(transcript, homes, redact=False)))
    parts = parts_of(transcript, homes)
    size = sum(part.size() for part in parts)
    frame = _bytes(_FRAME_TOKENS)
    head = _head(transcript, homes, tokens_of(size), max(_bytes(limits.head), _bytes(limits.whole) - size - frame))
    older, newest = list[ExchangePart](), parts
    if size_of(head) + size + frame > _bytes(limits.whole):
        older, newest = _newest(parts, _bytes(limits.least) - size_of(head), _bytes(limits.slack))
    asked, before = _calls(older, limits)
    room = _bytes(limits.whole) - size_of(head) - sum(part.size() for part in newest) - frame
    if summarizer is None:
        told = problem or "there is no summarizer"
        done = [_Older(each.parts, problem=told) for each in asked]
    else:
        done = _summarized(summarizer, asked, _shares(asked, room), seconds, cancelled, limits)
    if before:
        done = [_Older(before, problem=f"a summarizer is called at most {limits.calls} times"), *done]
    lines = list(head)
    sections = [_section_head(each, summarizer, transcript.session.id, limits) for each in done]
    for each, section, share in zip(done, sections, _shares(done, room - sum(map(size_of, sections))), strict=True):
        lines += section
        lines += _summary_lines(each.summary, share) if each.summary else unsummarized_lines(each.parts, share)
    if newest:
        lines += ["", "## Recent conversation, word for word", *(line for part in newest for line in part.lines())]
    return Condensed(
        "\n".join(lines) + "\n",
        tuple(newest),
        tuple(part for each in done if each.summary for part in each.parts),
        tuple(part for each in done if not each.summary for part in each.parts),
        "" if summarizer is None or not asked else one_line(str(summarizer.name)),
        "; ".join(dict.fromkeys(each.problem for each in done if each.problem)),
    )


# --- what goes where ---------------------------------------------------------------------------------


def _newest(parts: Sequence[ExchangePart], least: int, slack: int) -> tuple[list[ExchangePart], list[ExchangePart]]:
    """Return the older parts, and the newest ones: of `least` to `least + slack` bytes where there are as many.

    The exchange at which the newest ones begin is cut only where it is longer than the room that is left for it.
    """
    older, newest, used = list(parts), list[ExchangePart](), 0
    while older and used < least:
        part = older.pop()
        before, after = cut_end(part, least + slack - used, least - used)
        if before is not None:
            older.append(before)
        if after is None:
            break
        newest.insert(0, after)
        used += after.size()
    return older, newest


def _calls(parts: Sequence[ExchangePart], limits: CondenseLimits) -> tuple[list[_Older], tuple[ExchangePart, ...]]:
    """Return the parts in calls of a summarizer, the newest parts that `limits` allow, and the parts before them."""
    room = _bytes(limits.asked) - size_of([SYSTEM, summary_prompt("", limits.whole)])
    left, calls = list(parts), list[_Older]()
    while left and len(calls) < limits.calls:
        taken, used = list[ExchangePart](), 0
        while left:
            part = left.pop()
            size = part.size(redacted=True)
            if used + size > room and (size <= room or used > room * 3 // 4):
                left.append(part)  # a longer one than a call holds is cut, but not for a small rest of a call
                break
            before, after = cut_end(part, room - used, (room - used) * 3 // 4, redacted=True)
            left += [before] if before is not None else []
            if after is None:
                break
            taken.insert(0, after)
            used += after.size(redacted=True)
            if before is not None:
                break
        calls.insert(0, _Older(tuple(taken)))
    return calls, tuple(left)


def _shares(calls: Sequence[_Older], room: int) -> list[int]:
    """Return the bytes of each call's summary: half of the room in equal shares, half by the length of the parts."""
    sizes = [sum(part.size(redacted=True) for part in each.parts) for each in calls]
    return [room // 2 // len(calls) + room // 2 * size // max(sum(sizes), 1) for size in sizes]


def _summarized(
    summarizer: Summarizer,
    calls: Sequence[_Older],
    shares: Sequence[int],
    seconds: float,
    cancelled: Callable[[], bool],
    limits: CondenseLimits,
) -> list[_Older]:
    """Return the calls with their summaries, or the reasons why there is none."""
    until, left = time.monotonic() + seconds, threading.Event()

    def call(each: _Older, share: int) -> _Older:
        remaining = until - time.monotonic()
        try:
            if remaining < _LEAST_SECONDS:
                raise CuratorTimeoutError(f"the time limit of {seconds:g} seconds was over before it could be asked")
            conversation = "\n".join(line for part in each.parts for line in part.lines(redacted=True))
            prompt = summary_prompt(conversation.strip("\n"), tokens_of(share))
            ended = lambda: left.is_set() or cancelled()  # noqa: E731 - a thread asks it
            return _Older(each.parts, summary_of(summarizer, SYSTEM, prompt, seconds=remaining, cancelled=ended))
        except CuratorError as error:
            return _Older(each.parts, problem=error_text(error))

    with ThreadPoolExecutor(limits.at_once, thread_name_prefix="recall-rank summary") as pool:
        try:
            asked = [pool.submit(call, *pair) for pair in reversed(list(zip(calls, shares, strict=True)))]
            return [each.result() for each in reversed(asked)]
        finally:
            left.set()  # calls that go on are ended when this one is interrupted
            pool.shutdown(wait=False, cancel_futures=True)


# --- the page ----------------------------------------------------------------------------------------


def _head(transcript: SessionTranscript, homes: Sequence[str], tokens: int, most: int) -> list[str]:
    """Return the head of the page: its lines as far as they fit into `most` bytes, a longer one cut."""
    kept: list[str] = []
    note = "*The rest of the statistics is left out.*"
    room = most - size_of(["", note])
    lines = list(head_lines(transcript, homes, tokens))
    if size_of(lines) <= most:
        return lines
    for line in lines:
        size = size_of([line])
        if size > room:
            kept.append(_cut_bytes(line, max(room - 1, 0)))
            break
        kept.append(line)
        room -= size
    return [*kept, "", note]


def _section_head(each: _Older, summarizer: Summarizer | None, session: str, limits: CondenseLimits) -> list[str]:
    """Return the lines above a summary, or above what stands in for it: which exchanges, and why there is none."""
    tokens = tokens_of(sum(part.size() for part in each.parts))
    named = f"{_named(each.parts, limits.names)} (about {tokens:,} tokens)"
    if each.summary and summarizer is not None:
        name = _cut_bytes(escaped_markup(one_line(str(summarizer.name))), _NAME_BYTES)
        told = f"{named}. A summary leaves out most of what was said, and may be wrong."
        return ["", f"## Older conversation, summarised by {name}", "", told, ""]
    command = f"recall-rank transcript {session}"
    shown = f"; {code_span(command)} shows all" if len(command.encode("utf-8", "replace")) <= _NAME_BYTES else ""
    reason = _cut_bytes(escaped_markup(one_line(each.problem)), limits.reason)
    return ["", "## Older conversation, left out", "", f"{named}: not summarised, because {reason}{shown}."]


def _summary_lines(summary: str, room: int) -> Iterator[str]:
    """Yield a summary as a quote within `room` bytes; a line that does not fit is cut, and a note says so."""
    lines = list(quoted_lines(summary))
    if size_of(lines) <= room:
        yield from lines
        return
    room -= size_of(["", _CUT_SUMMARY])
    if room < 0:
        return
    for line in lines:
        size = size_of([line])
        if size > room:
            if room > len("> \n"):
                yield _cut_bytes(line, room - 1)
            break
        yield line
        room -= size
    yield ""
    yield _CUT_SUMMARY


def _named(parts: Sequence[ExchangePart], most: int) -> str:
    """Return the exchanges of parts by their numbers, such as "Exchanges 1 to 7", and those of subagents by name where
    `most` bytes hold that.
    """
    groups = [
        (session, sorted({part.number for part in group}))
        for session, group in groupby(parts, lambda part: part.session)
    ]
    own = "; ".join(_numbered("", numbers) for session, numbers in groups if not session)
    of_subagents = [_numbered(session, numbers) for session, numbers in groups if session]
    named = "; ".join(filter(None, (*of_subagents, own)))
    if len(named.encode("utf-8", "replace")) <= most:
        return named
    counted = f"exchanges of {len(of_subagents):,} {'subagent' if len(of_subagents) == 1 else 'subagents'}"
    return f"{own}; {counted}" if own else f"E{counted[1:]}"


def _numbered(session: str, numbers: Sequence[int]) -> str:
    first, last = numbers[0], numbers[-1]
    which = f"xchange {first}" if first == last else f"xchanges {first} to {last}"
    return f"{escaped_markup(session)}, e{which}" if session else f"E{which}"


def _cut_bytes(text: str, most: int) -> str:
    """Return at most `most` bytes from the beginning of a text, cut between code points."""
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def _bytes(tokens: int) -> int:
    """Return the most bytes that are so many tokens."""
    return tokens * BYTES_PER_TOKEN

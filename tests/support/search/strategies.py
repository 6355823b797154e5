"""Small arbitrary histories and queries of so few words that queries find something."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from recall_rank.model import Flag, Message, Part, Session
from tests.support.search.samples import DAY_MS, NOW

WORDS = (
    *("lantern", "lanterns", "lantren", "lanterm", "rateLimit", "rate_limit", "ratelimit", "rate", "limit", "limiter"),
    *("log", "file", "logfile", "connect", "connected", "auth", "authentication", "E0502", "404", "error404", "C++"),
    *(
        "the",
        "of",
        "größe",
        "GRÖSSE",
        "制限",
        "レート制限",
        "🚀",
        "\u212aelvin",
        "\u0130stanbul",
        "ΟΔΟΣ",
        "x",
        "\ud800",
    ),
)
word = st.sampled_from(WORDS) | st.text(max_size=4)
phrase = st.lists(word, min_size=1, max_size=8).map(" ".join)
query = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join) | phrase.filter(str.strip)
directory = st.sampled_from((None, "/a", "/a/b", "/ab", "C:\\a"))
times = st.sampled_from((0, NOW - 40 * DAY_MS, NOW - 5 * DAY_MS, NOW - DAY_MS, NOW - 1, NOW))


@st.composite
def parts(draw: st.DrawFn, key: str) -> Part:
    """Draw a part of any kind."""
    kind = draw(st.sampled_from(("text", "text", "tool", "reasoning", "subtask", "step-start")))
    flags = draw(st.sampled_from((Flag.NONE, Flag.NONE, Flag.SYNTHETIC, Flag.SUBAGENT)))
    if kind == "tool":
        given: dict[str, Any] = {"command": draw(phrase), "more": [draw(word), 5]}
        return Part(
            key, kind, tool=draw(st.sampled_from(("bash", "rate", "recall"))),
            input=draw(st.sampled_from((None, given))), output=draw(st.none() | phrase),
            error=draw(st.none() | phrase), flags=flags,
        )  # fmt: skip
    text = None if kind == "step-start" else draw(phrase)
    return Part(key, kind, text=text, prompt=draw(phrase) if kind == "subtask" else None, flags=flags)


@st.composite
def sessions(draw: st.DrawFn, key: str) -> Session:
    """Draw a session of a few messages, some without parts."""
    messages = []
    for number in range(draw(st.integers(0, 4))):
        name = f"{key}.{number}"
        made = tuple(draw(parts(f"{name}.{n}")) for n in range(draw(st.integers(0, 3))))
        role = draw(st.sampled_from(("user", "assistant", "system")))
        author = draw(st.sampled_from((None, None, "Odile", "Limit")))
        messages.append(Message(name, role, draw(times), made, author=author))
    return Session(
        key, tuple(messages), title=draw(st.none() | phrase), directory=draw(directory), updated=draw(times),
        project=draw(st.sampled_from((None, "harbor", "docs"))), source=draw(st.sampled_from((None, "opencode"))),
    )  # fmt: skip


@st.composite
def histories(draw: st.DrawFn, most: int = 6) -> list[Session]:
    """Draw sessions with ids s0, s1, ..."""
    return [draw(sessions(f"s{number}")) for number in range(draw(st.integers(1, most)))]

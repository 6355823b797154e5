"""Injected instructions that are known by their literal form: commands that send secrets, markers of roles, tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recall_rank.frontends.notes.plain_words import FoldedText

STEP: Final = 200  # characters on one line between two parts of a command
_KEPT_PRIVATE: Final = (
    r"(?<![\w.-])(?:\S{0,60}(?:/proc/self/environ|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\bid_(?:rsa|ed25519|ecdsa|dsa)|"
    r"\.ssh/|\.gnupg|\.aws/|\.pem\b|hosts\.yml|\.kube/|/etc/(?:passwd|shadow))|"
    r"\.env\b(?!\.)|credentials?\b|\bprintenv\b|\$\(env\)|`env`|"
    r"os\.environ|process\.env|\$\{?\w{0,40}(?:key|token|secret|passw(?:or)?d)\w{0,40}|kubeconfig|secrets?\b|env\b)"
)
_NET: Final = r"\b(?:curl|wget|nc|ncat|netcat|mail|sendmail|ssh|socat|telnet|openssl|base64|xxd)\b"
# Parts that follow each other on one line. The body, the query or the file of a request counts, and not its headers,
# which are how a key is used.
_COMMANDS: Final = (
    (
        r"\b(?:curl|wget|fetch|https?(?=\s)|invoke-webrequest|iwr|xh)\b",
        r"\s-(?:d|f|t)\b|--data|--form|--upload-file|--post-(?:data|file)|--body-data|\s-body|[?&][\w.-]{1,40}=",
        _KEPT_PRIVATE,
    ),
    (r"\b(?:nc|ncat|netcat|telnet|socat)\s", r"<\s{0,4}(?=\S)", rf"{_KEPT_PRIVATE}|config|token|key"),
    (r"\b(?:cat|base64|printenv|env|tar|gzip|xxd|zip|less|head)\b", _KEPT_PRIVATE, r"\|", _NET),
    (r"\b(?:printenv|env|set)\s{0,3}\|", _NET),
    (r"\b(?:dig|nslookup|ping)\b", r"\$\(", _KEPT_PRIVATE),
    (r"\b(?:(?:requests|httpx|axios)\.(?:post|get|put|request)|fetch|urlopen)\(", _KEPT_PRIVATE),
    (r"\b(?:scp|rsync|ftp|sftp|rclone)\b", _KEPT_PRIVATE, r"[\w.-]{1,80}:"),
    (r"!\[[^\]\n]{0,80}\]\(https?://", r"[?&][\w-]{1,40}=(?:<|\{|\[|\$|%7b|data|secret|your)"),
)
_TAG_NAMES: Final = (
    r"system|system[_-]prompt|system[_-]message|system[_-]reminder|system[_-]instructions?|developer|function_calls|"
    r"antml:\w{1,30}|tool_call|tool_result|thinking|instructions?|assistant|human|admin"
)
_ROLES: Final = (
    r"<\|[a-z_]{2,24}\|>",
    r"\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    rf"</?(?:{_TAG_NAMES})(?: [^<>\n]{{0,80}})?>",
    r"</(?:notes|context|document|untrusted|data|user_input|memory|profile|recalled)[^<>\n]{0,60}>",
    (
        r"(?:\A|\n)[ \t>]{0,8}#{1,6}[ \t]{0,4}\[?(?:system|assistant|human|instructions?|developer)"
        r"(?: message| prompt)?\]?"
        r"[ \t]{0,4}:"
    ),
    (
        r"(?:\A|\n)[ \t>*]{0,8}(?:human|assistant|system)(?: \([^()\n]{1,30}\))?[ \t]{0,2}\**:\**[ \t]+[^\n]{0,300}?"
        r"\b(?:i will|i run|i agree|i'll|sure|grant|you|must|ignore|new|verified|obey|follow|override|yes)\b"
    ),
    (
        r"[\"']?role[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:system|developer)\b[\"']?\s{0,4}[,\n]\s{0,8}"
        r"(?:[^\n]{0,80}\n\s{0,8}){0,2}(?:[\"']content[\"']\s{0,4}:\s{0,4}[\"']|content\s{0,4}[:=])"
    ),
    (
        r"(?:\A|\n)[ \t>]{0,8}(?:[-=#*]{2,9}|\[)[ \t]?(?:begin|end|start) (?:of )?(?:the )?"
        r"(?:notes|operator|system|developer|user|admin|context|document|data)\b[^\n]{0,30}(?:[-=#*]{2}|\])"
    ),
    (
        r"(?:\A|\n)[ \t>]{0,8}[\[(](?:system|operator|admin|developer) "
        r"(?:notification|notice|alert|update|override|note)[^\]\n]{0,20}[\])]"
    ),
    r"\[(?:end of )?system (?:message|prompt)[^\]\n]{0,40}\]",
)
_ADDRESSED: Final = (
    r"(?:#|//|<!--|/\*|\{#|--|;;)[ \t]{0,4}(?:todo|note|fixme|hint|secret|message|instructions?)?[ \t]{0,2}\(?"
    r"(?: ?(?:to|for|from) (?:the )?)?(?:ai |coding |llm )?(?:assistants?|agents?|ai|llms?)\)?"
    r"[ \t]{0,2}:[ \t]{0,4}[a-z]"
)
_STEPS: Final = tuple(tuple(re.compile(part) for part in parts) for parts in _COMMANDS)
_PATTERNS: Final = (
    *(("role marker", re.compile(form)) for form in _ROLES),
    ("addressed to the model", re.compile(_ADDRESSED)),
)
_TAGS: Final = re.compile("(?<!\U0001f3f4)[\U000e0000-\U000e007e]{6,}|[\U000e0100-\U000e01ef\ufe00-\ufe0f]{6,}")


def literal_findings(text: str, folded: FoldedText) -> Iterator[tuple[str, int, int]]:
    """Yield rule, start and end of what has a known form."""
    for steps in _STEPS:
        for start, end in _in_steps(folded.text, steps):
            yield "send secrets", folded.origin(start), folded.origin(end)
    for rule, pattern in _PATTERNS:
        for found in pattern.finditer(folded.text):
            start, end = folded.origin(found.start()), folded.origin(found.end())
            if not _mentioned(text, start, end):
                yield rule, start, end
    for found in _TAGS.finditer(text):
        yield "hidden characters", found.start(), found.end()


def _in_steps(text: str, steps: tuple[re.Pattern[str], ...]) -> Iterator[tuple[int, int]]:
    """Yield start and end of parts that follow each other on one line, each at most STEP characters after the last."""
    first, *others = steps
    for found in first.finditer(text):
        end = found.end()
        for part in others:
            line = text.find("\n", end, end + STEP)
            behind = part.search(text, end, end + STEP if line < 0 else line)
            if behind is None:
                break
            end = behind.end()
        else:
            yield found.start(), end


def _mentioned(text: str, start: int, end: int) -> bool:
    """Return whether a marker is all that a code span holds: its name, which opens nothing."""
    return text[start - 1 : start] == "`" and text[end : end + 1] == "`" and text[end - 1] != "\n"

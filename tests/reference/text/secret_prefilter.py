"""The kinds of secrets that are possible in a text, by one regular expression each."""

from __future__ import annotations

import re

from recall_rank.analysis.unseen_characters import UNSEEN_RANGES

BLANK, WIDE = r"\t-\r\x1c-\x20", r"\x80-\U0010ffff"  # what is beyond ASCII passes for what is looked for

SMALL = {**{chr(code): chr(code).lower() for code in range(128)}, "\u212a": "k"}

SECRET_WORDS = {"key": 0, "token": 2, "cred": 0, "secret": 2, "authorization": 7}  # known by this letter of theirs

PASSWORD_WORDS = {"passw": 4, "pwd": 1, "passphrase": 0}

A_VALUE = re.compile(rf"""["'` \t=\\]{{0,5}}+(?=[^{BLANK}"'`\\]{{6}})(?=[^{BLANK}"'`\\]{{0,80}}[0-9{WIDE}])""")

A_FLAG = re.compile("--[A-Za-z-]{0,64}+")

A_USER = re.compile(rf"""://(?=([^{BLANK}:/@"'<>]{{0,256}}+)([:@]))""")

A_PASSWORD = re.compile(rf"""(?![0-9]{{1,5}}+/)[^{BLANK}"'<>]{{0,257}}""")

UNSEEN = re.compile(
    rf"\[[0-9;:]{{1,32}}+m|(?<![\u2000-\U0010ffff])[\ufe00-\ufe0f]|(?![\t\n\r\ufe00-\ufe0f])[{UNSEEN_RANGES}]"
)

A_HEADER = re.compile(rf"(?:bearer|basic|token)[ \t]++[A-Za-z0-9_.~+/={WIDE}-]{{16}}")


class SecretPrefilter:
    """Prefilter of secrets by regular expressions and scans of the whole text."""

    def __init__(self, starts: list[str]) -> None:
        self.starts = starts

    def scan(self, text: str, low: int, high: int) -> tuple[int, int, int]:
        """Return (kinds, start, end): one regular expression a kind."""
        start, end = (0, len(text)) if low == 0 and high == len(text) else read_range(text, low, high)
        shown = text[start:end]
        small = "".join(SMALL.get(c, c) for c in shown)
        named = self.named(shown, small)
        found = [
            self.has_prefix(shown),
            "password" in named or ("secret" in named and re.search("[A-Za-z0-9_-]{15}", shown) is not None),
            self.has_address(shown),
            A_HEADER.search(small) is not None,
            "-----BEGIN" in text[max(0, low - 16_384) : high],
            UNSEEN.search(shown) is not None,
        ]
        return sum(1 << k for k, each in enumerate(found) if each), start, end

    def has_prefix(self, shown: str) -> bool:
        """Return whether the prefix of a key is in a run of 20 key characters, or up to 48 characters before it."""
        done = 0
        for run in re.finditer("[A-Za-z0-9_-]{20,}", shown):
            first = run.start()
            if first and shown[first - 1] in "./:=~\n\\":
                first = max(done, first - 48)
            done = run.end()
            plain = run[0].islower() and re.search("[0-9]", run[0]) is None
            if not plain and any(start in shown[first:done] for start in self.starts):
                return True
        return False

    def has_address(self, shown: str) -> bool:
        """Return whether a user with a password, or a token of 16 or more characters, is in front of a host."""
        for found in A_USER.finditer(shown):
            size = len(found[1])
            if found[2] == "@":
                if size >= 16:
                    return True
                continue
            password = A_PASSWORD.match(shown, found.end(2))
            if password is not None and "@" in password[0][0 if size >= 16 else 3 :]:
                return True
        return False

    def named(self, shown: str, small: str) -> set[str]:
        """Return the kinds of names, 'secret' and 'password', up to 64 characters in front of a sign and a value."""
        signs = [(found.start(), found.start(), found.end()) for found in re.finditer("[=:>]", shown)]
        flags = [found.end() for found in A_FLAG.finditer(shown) if shown[found.end() : found.end() + 1] == " "]
        signs += [(at, at + 1, at + 1) for at in flags]
        found = set()
        for kind, words in (("secret", SECRET_WORDS), ("password", PASSWORD_WORDS)):
            places = [
                begin.start() + known for word, known in words.items() for begin in re.finditer(f"(?={word})", small)
            ]
            for at, sign, value in signs:
                if any(place < at and sign - place <= 64 for place in places) and A_VALUE.match(shown, value):
                    found.add(kind)
        return found


def read_range(text: str, low: int, high: int) -> tuple[int, int]:
    """Return the range to read: from a blank or line end before [low, high), names included, to one behind it."""
    floor, ceiling = max(0, low - 4_096), min(len(text), high + 4_096)
    start = text.rfind(" ", floor, low)
    if low - start > 200:
        start = max(floor, start, text.rfind("\n", floor, low))
    end = text.find(" ", high, ceiling)
    if end < 0 or end - high > 200:
        line = text.find("\n", high, ceiling)
        end = min((place for place in (end, line) if place >= 0), default=ceiling)
    return max(0, start - 160), end

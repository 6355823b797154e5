"""Find secrets by the name before them: `api_key = ...`, `"password": "..."`, `--token ...`.

is_placeholder() and looks_random() also check secrets that are found by their format.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Final

from recall_rank.frontends.redaction.secret_formats import ALPHABETS, NAMED, Secret

# A value contains a digit. It is tried after every sign, since a value may itself contain a name and a value.
_VALUE: Final = r"""(?=["'` \t=\\]{0,5}+(?=[^\s"'`\\\d]{0,80}+\d)([^\s"'`\\]{6,256}+))"""
_ASSIGNED: Final = re.compile(f"[=:>](?![=:>]){_VALUE}")
_KEY_WORD: Final = re.compile("key|token|secret|cred|passw|pwd")
_FLAG: Final = re.compile(f"--[A-Za-z][A-Za-z-]{{2,40}}+ {_VALUE}")
_NAME_CHARS: Final = 64
_SECRET_NAME: Final = re.compile(
    r"(?:secret|token|credentials?|creds|api[_. -]?key|(?:access|auth|account|secret|private|encryption|signing|master|"
    r"license|service|storage|webhook|shared|subscription)[_. -]?key|authorization)"
    r"(?:[_.-]?(?:value|base64|b64|hex|live|test|prod|dev|v?\d))?[\s\"'\\\])]{0,4}$",
    re.IGNORECASE,
)
_PASSWORD_NAME: Final = re.compile(
    r"(?:passw(?:or)?d|passwd|passphrase|(?<![a-z])pwd)[\s\"'\\\])]{0,4}$", re.IGNORECASE
)
_HARMLESS_TOKEN: Final = re.compile(
    r"(?:page|next|continuation|cancel|sync|cursor|count|public|design)[_. -]?\w{0,8}token", re.IGNORECASE
)
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_KEY_CHARS: Final = re.compile(r"[\w.=~+/-]+")
_CODE: Final = re.compile(r"[(){}\[\]<>$%]|^[A-Za-z_][\w]*(?:\.[A-Za-z_]\w*)+$|^/|^\./|://")
_VALUE_END: Final = re.compile(r"[,;)}\]>&|]")
_VARIABLE: Final = re.compile(
    r"\$[A-Z_][A-Z0-9_]*|\$[A-Za-z_]+|\$[A-Za-z_]*(?:pass|pw|token|secret|key|cred|auth)\w*|\$[0-9]|\$[({].*|"
    r"%[a-z]|%\(\w+\)s|%[A-Za-z_]\w*%|%\{.*|[\[{].*[\]}]|\*+",
    re.DOTALL,
)
_TAG: Final = re.compile(r"<(/?[\w:.-]+)(?:\s[^<>]*)?$")  # the tag of XML that a ">" ends
_CDATA: Final = "<![CDATA["
_RUN: Final = re.compile(r"[^\s<]{0,256}+")
_PAIR_CHARS: Final = 160
_PAIR: Final = re.compile(  # a name that stands as a value beside the value: {"name": "API_KEY", "value": "..."}
    r"(?ai:name|key|id|variable|header|field|property|setting)\\?[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\?[\"']?([\w.-]{4,64}+)"
    r"(?:\\[nrt\"']|[\s,\"'-]){1,40}(?ai:value)\\?[\"']?[ \t]{0,4}$"
)
_OPENING: Final = "([{"  # after a value: it is the name of a function or a container
_PLACEHOLDER: Final = re.compile(
    r"x{6}|\*{3}|\.{3}|0{8}|12345678|abcdefgh|your[_-]|example|placeholder|redacted|change_?me|dummy[_-]|replace|"
    r"insert[_-]|passw(?:or)?d|fake[_-]|sample[_-]|my[_-]?secret",
    re.IGNORECASE,
)
_KIND_CHANGE: Final = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_JUDGED_CHARS: Final = 256  # of a value, by which it is judged


@cache  # compiled when first needed: few of the vendors are ever named
def _shapes(cell: str) -> re.Pattern[str]:
    """Return the regular expression for values in any of the formats that a cell of the table NAMED lists.

    A format is "uuid", or a letter for an alphabet with a length, such as A32 or A20-40.
    """
    shapes = []
    for shape in cell.split():
        if shape == "uuid":
            shapes.append(_UUID.pattern)
        else:
            low, _, high = shape[1:].partition("-")
            shapes.append(f"[{ALPHABETS[shape[0]]}]{{{low},{high or low}}}")
    return re.compile("|".join(f"(?:{shape})" for shape in shapes), re.IGNORECASE)


_FAMILIES: Final = {
    word: (family, cell)
    for family, words, cell in ([part.strip() for part in line.split("|")] for line in NAMED.strip().splitlines())
    for word in words.split()
}


@cache
def _vendor() -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, _FAMILIES), key=len, reverse=True)))


def is_placeholder(value: str) -> bool:
    """Return whether a value is an example rather than a secret.

    An example has a word such as "example", or few different characters.
    """
    value = value[:_JUDGED_CHARS]
    return len(set(value)) < min(5, len(value)) or _PLACEHOLDER.search(value) is not None


def is_variable(value: str) -> bool:
    """Return whether a value is the name of a variable or a gap to be filled, such as ${PASSWORD}, %s or {password}."""
    return value[:1] in "$%{[*" and _VARIABLE.fullmatch(value) is not None


def looks_random(value: str) -> bool:
    """Return whether a value looks like a random key: many different letters and digits, which often alternate."""
    value = value[:_JUDGED_CHARS]
    if len(set(value)) < min(10, len(value) * 0.6):
        return False
    changes = len(_KIND_CHANGE.findall(value))
    return any(map(str.isdigit, value)) and changes >= max(3, len(value) * 0.12)


def named_secrets(text: str, start: int, end: int) -> Iterator[Secret]:
    """Yield the secrets after a name such as api_key in characters [start, end), in order."""
    assigned: Iterator[re.Match[str]] = _ASSIGNED.finditer(text, start, end)
    if text.find("--", start, end) >= 0:
        assigned = chain(assigned, _FLAG.finditer(text, start, end))
    for found in assigned:
        begin, stop = found.span(1)
        is_flag = text[found.start()] == "-"  # its name precedes the value without a sign in between
        sign = found.end() if is_flag else found.start()
        low = max(0, sign - _NAME_CHARS, text.rfind("\n", start, found.start()) + 1)
        names = [text[low:begin].rstrip("\"'` \t\n=\\:>")]
        if names[0][-5:].lower() == "value" and (pair := _PAIR.search(text, max(0, sign - _PAIR_CHARS), sign)):
            names.append(pair[1])
        quote = text[begin - 1] if text[begin - 1] in "\"'`" else ""
        element = _element(text, low, sign, begin) if text[sign] == ">" and not quote else None
        if element is not None:
            name, begin, stop = element
            names.insert(0, name)
            quote = "<"
        elif quote and (close := text.find(quote, stop, begin + 200)) > stop and "\n" not in text[stop:close]:
            stop = close - (text[close - 1] == "\\")
        elif not quote and (cut := _VALUE_END.search(text, begin, stop)):
            stop = cut.start()
        value, follows = text[begin:stop], text[stop : stop + 1]
        family = next(filter(None, (_family(name, value, quoted=bool(quote), follows=follows) for name in names)), None)
        if family:
            yield Secret(begin, stop, family)


def _element(text: str, low: int, sign: int, begin: int) -> tuple[str, int, int] | None:
    """Return (name, start, end) of the XML element whose tag the ">" at `sign` ends; None when it ends no such tag.

    The tag begins at character `low` or later. [start, end) is the text of the element, which `begin` is in.
    """
    tag = _TAG.search(text, low, sign)
    if tag is None or text[sign - 1] in "=-":
        return None
    start = begin + len(_CDATA) if text.startswith(_CDATA, begin) else begin
    end = text.find("]]>" if start > begin else "<", start, start + _JUDGED_CHARS)
    if end < 0 or "\n" in text[start:end]:
        found = _RUN.match(text, start)
        end = found.end() if found else start
    return tag[1], start, end


def family_of(name: str, value: str) -> str | None:
    """Return the family (type) of a secret, given its name and its complete value; None when the value is no
    secret.
    """
    return _family(name, value, quoted=True, follows="")


def _family(name: str, value: str, *, quoted: bool, follows: str) -> str | None:
    """Return the family (type) of the secret `value` after a name; None when it is no secret.

    `follows` is the character after the value.
    """
    digits = any(map(str.isdigit, value))
    if len(value) < 8 or (follows and follows in _OPENING) or not digits:
        return None
    if _PASSWORD_NAME.search(name):
        return "password" if _is_password(value, quoted=quoted) else None
    if len(value) < 15 or not _KEY_CHARS.fullmatch(value) or not digits:
        return None
    tail = name[-48:].lower()
    vendor = _vendor().search(tail)
    if vendor is not None and _KEY_WORD.search(tail):
        family, cell = _FAMILIES[vendor[0]]
        if _shapes(cell).fullmatch(value) and not is_placeholder(value):
            return family
    if not _SECRET_NAME.search(name) or _HARMLESS_TOKEN.search(tail) or is_placeholder(value):
        return None
    return "secret" if len(value) >= 16 and looks_random(value) else None


def _is_password(value: str, *, quoted: bool) -> bool:
    """Return whether a value named password can be one: it has letters and digits and is neither code nor a
    placeholder.
    """
    if len(value) > 128 or is_placeholder(value) or is_variable(value):
        return False
    if not quoted and _CODE.search(value):
        return False
    letters = any(map(str.isalpha, value))
    digits = any(map(str.isdigit, value))
    others = not value.replace("_", "").replace("-", "").replace(".", "").replace(" ", "").isalnum()
    return (letters and digits and " " not in value) or (others and letters and digits)

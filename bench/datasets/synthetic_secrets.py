"""Made-up secrets of many families, in texts around them.

Those of the disguised families are interrupted or surrounded by colour codes and by characters that no terminal shows.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_LETTERS: Final = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "B": string.ascii_letters + string.digits + "+/",
    "D": string.digits,
    "L": string.ascii_letters,
    "U": string.ascii_uppercase + string.digits,
    "W": string.ascii_letters + string.digits + "_-",
    "h": string.digits + "abcdef",
    "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "t": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
_SLOT: Final = re.compile(r"\{([A-Za-z])(\d+)\}")
UUID: Final = "{h8}-{h4}-{h4}-{h4}-{h12}"

# family: pattern of its secrets; {A36} stands for 36 characters of the alphabet A above
FORMS: Final = {
    "anthropic": "sk-ant-api03-{W93}AA",
    "anthropic oauth": "sk-ant-oat01-{W86}AA",
    "openai": "sk-{A20}T3BlbkFJ{A20}",
    "openai project": "sk-proj-{W74}T3BlbkFJ{W74}",
    "openrouter": "sk-or-v1-{h64}",
    "google": "AIza{W35}",
    "google oauth": "GOCSPX-{W28}",
    "xai": "xai-{A80}",
    "hugging face": "hf_{L34}",
    "groq": "gsk_{A52}",
    "replicate": "r8_{A37}",
    "perplexity": "pplx-{A48}",
    "github": "ghp_{A36}",
    "github app": "ghs_{A36}",
    "github fine-grained": "github_pat_{A22}_{A59}",
    "gitlab": "glpat-{W20}",
    "gitlab routable": "glpat-{W27}.{a2}{a7}",
    "npm": "npm_{A36}",
    "pypi": "pypi-AgEIcHlwaS5vcmc{W100}",
    "docker": "dckr_pat_{W27}",
    "aws key id": "AKIA{t16}",
    "digitalocean": "dop_v1_{h64}",
    "databricks": "dapi{h32}",
    "stripe": "sk_live_{A24}",
    "stripe restricted": "rk_live_{A99}",
    "shopify": "shpat_{h32}",
    "slack bot": "xoxb-{D12}-{D12}-{A24}",
    "slack user": "xoxp-{D11}-{D11}-{D12}-{h32}",
    "slack app": "xapp-1-A{U10}-{D13}-{h64}",
    "slack webhook": "https://hooks.slack.com/services/T{U8}/B{U8}/{A24}",
    "discord webhook": "https://discord.com/api/webhooks/{D18}/{W68}",
    "telegram": "{D10}:AA{W33}",
    "twilio": "SK{h32}",
    "sendgrid": "SG.{W22}.{W43}",
    "linear": "lin_api_{A40}",
    "notion": "ntn_{D11}{A35}",
    "atlassian": "ATATT3{W180}={U8}",
    "sentry": "sntryu_{h64}",
    "grafana": "glsa_{A32}_{h8}",
    "doppler": "dp.pt.{A43}",
    "vault": "hvs.{W95}",
    "terraform": "{A14}.atlasv1.{W67}",
    "age": "AGE-SECRET-KEY-1{q58}",
    "postman": "PMAK-{h24}-{h34}",
    "pulumi": "pul-{h40}",
    "rubygems": "rubygems_{h48}",
    "airtable": "pat{A14}.{h64}",
    "jwt": "jwt",
    "private key": "pem",
}

# family: name of the variable that holds the secret, and pattern of the secret
NAMED_FORMS: Final = {
    "aws secret": ("AWS_SECRET_ACCESS_KEY", "{B40}"),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", "{W40}"),
    "datadog": ("DATADOG_API_KEY", "{h32}"),
    "heroku": ("HEROKU_API_KEY", UUID),
    "mistral": ("MISTRAL_API_KEY", "{A32}"),
    "cohere": ("COHERE_API_KEY", "{A40}"),
    "an api key": ("api_key", "{A32}"),
    "a secret": ("client_secret", "{W40}"),
    "a token": ("access_token", "{A24}"),
    "a password": ("password", "{A14}"),
}

SHAPES: Final = (
    "{}",
    "the key is {}, use it.",
    'export API_KEY="{}"',
    "line one\n{}\nline three",
    '{{"headers": "{}"}}',
    '{{\\"body\\": \\"{}\\"}}',
    "first\\n{}\\nlast",
    "curl -H 'X-Key: {}' https://api.harborline.test/v1",
    "(see `{}`)",
)
NAMED_SHAPES: Final = (
    "{name}={value}",
    'export {name}="{value}"',
    "{name}: {value}",
    '"{name}": "{value}",',
    '{{\\"{name}\\": \\"{value}\\"}}',
    "{name} = '{value}'  # from the vault",
)


RESET: Final = "\x1b[0m"
COLOURS: Final = (
    *(
        "\x1b[33m",
        "\x1b[1;32m",
        "\x1b[01;31m\x1b[K",
        "\x1b[38;5;208m",
        "\x1b[38;2;255;121;198m",
        "\x1b[48:2::30:30:46m",
    ),
    *(
        "\x9b31m",
        "\x1b(B\x1b[m",
        "\\x1b[33m",
        "\\u001b[1;34m",
        "\\033[0;31m",
        "\\e[36m",
        "^[[35m",
        "\u241b[31m",
        "[32m",
    ),
)
UNSEEN: Final = (
    *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\U000e0041", "\u2063", "\u202e"),
    *("\u034f", "\u180e", "\u061c", "\U000e0100", "\x00", "\x08"),
)
# {on} and {off} are colours, {name} and {value} as in NAMED_SHAPES, {first} and {rest} the two halves of a value
DISGUISED_SHAPES: Final = {
    "coloured value": ("{name}: {on}{value}{off}", "{name}={on}{value}", "{name}{off}={on}{value}{off} # old"),
    "coloured name": ("{on}{name}{off}={value}", '{on}"{name}"{off}{on}:{off} "{value}"', "{on}{name}: {value}{off}"),
    "coloured inside": ("{name}={first}{on}{rest}{off}", "{name} = '{first}{on}{rest}{off}'"),
    "jq output": (
        '\x1b[1;39m{{\n  \x1b[0m\x1b[34;1m"{name}"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"{value}"\x1b[0m\x1b[1;39m,\n',
        '\x1b[1;39m[\n  \x1b[0m\x1b[1;34m"{name}"\x1b[0m\x1b[1;39m: \x1b[0m\x1b[0;32m"{value}"\x1b[0m',
    ),
    "coloured diff": (
        "\x1b[32m+\x1b[m\x1b[32m{name} = {value}\x1b[m",
        "\x1b[31m-{name}: {value}\x1b[m\n\x1b[32m+{name}: none\x1b[m",
        "\x1b[38;2;80;250;123m+    {name}=\x1b[7m{first}\x1b[27m{rest}\x1b[m",
    ),
    "unseen character": (
        "{name}={unseen}{value}",
        "{name}={first}{unseen}{rest}",
        "{cut}={value}",
        "{cut}: {first}{unseen}{rest}",
    ),
}
DISGUISED_KEYS: Final = {"coloured key": ("ghp_{A36}", COLOURS), "unseen key": ("sk-ant-api03-{W93}AA", UNSEEN)}
IN_PLACE: Final = (
    *("bearer header", "upper-case bearer", "database url", "odd database url", "encoded database url"),
    *("token in a url", "user and token in a url", "xml password", "name and value"),
)
PAIRS: Final = (
    "- name: {name}\n  value: {value}",
    '  - name: "{name}"\n    value: "{value}"',
    '{{"name": "{name}", "value": "{value}"}}',
    '{{\n  "Name": "{name}",\n  "Value": "{value}"\n}}',
    '{{\\"key\\": \\"{name}\\", \\"value\\": \\"{value}\\"}}',
    '<add key="{name}" value="{value}" />',
    "<property name='{name}' value='{value}'/>",
)
_ODD: Final = "!$%&*+-.,;=~^_()/@#?"
_BARE: Final = re.compile(
    r"(?:\x1b|\x9b|\\(?:x1b|u001b|033|e)|\^\[|\u241b)\[?[0-?]*[A-Za-z]|\[[0-9;:]+m|\x1b\(B|"
    f"[{''.join(UNSEEN)}]"
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A text with a secret at [start, end)."""

    family: str
    text: str
    start: int
    end: int

    @property
    def secret(self) -> str:
        return self.text[self.start : self.end]


def planted(family: str, count: int, seed: int = 0) -> Iterator[Planted]:
    """Yield made-up secrets of a family, each in a text around it."""
    drawn = random.Random(f"{seed} {family}")
    for number in range(count):
        if family in IN_PLACE:
            secret, shaped = _in_place(drawn, number, family)
        elif family in DISGUISED_SHAPES or family in DISGUISED_KEYS:
            secret, shaped = _disguised(drawn, number, family)
        elif family in NAMED_FORMS:
            name, form = NAMED_FORMS[family]
            secret = _filled(drawn, form, digits=True)
            name = drawn.choice([name, name.lower()])
            shaped = NAMED_SHAPES[number % len(NAMED_SHAPES)].format(name=name, value=secret)
        else:
            secret = make(drawn, family)
            shaped = _surrounded(drawn, number, secret, alone=FORMS[family] in ("jwt", "pem"))
        lead, trail = _noise(drawn), _noise(drawn)
        text = f"{lead}\n{shaped}\n{trail}"
        start = text.index(secret, len(lead))
        yield Planted(family, text, start, start + len(secret))


FAMILIES: Final = (*FORMS, *NAMED_FORMS, *IN_PLACE, *DISGUISED_SHAPES, *DISGUISED_KEYS)


def make(drawn: random.Random, family: str) -> str:
    """Return one secret."""
    form = FORMS[family]
    if form == "jwt":
        head = _base64('{"alg":"HS256","typ":"JWT"}')
        body = _base64(f'{{"sub":"{drawn.randrange(10**9)}","iat":{drawn.randrange(10**9)}}}')
        return f"{head}.{body}.{_drawn(drawn, 'W', 43)}"
    if form == "pem":
        kind = drawn.choice(["RSA ", "EC ", "OPENSSH ", ""])
        lines = "\n".join(_drawn(drawn, "B", 64) for _ in range(drawn.randrange(3, 40)))
        return f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"
    return _filled(drawn, form)


def _surrounded(drawn: random.Random, number: int, secret: str, *, alone: bool) -> str:
    if not alone and number % 12 == 10:  # base64 before and after it
        return f"{_drawn(drawn, 'B', 60)} {secret}/{_drawn(drawn, 'B', 60)}"
    return SHAPES[number % len(SHAPES)].format(secret)


def _in_place(drawn: random.Random, number: int, family: str) -> tuple[str, str]:
    """Return a secret that only its place gives away, and the text of that place."""
    if family in ("bearer header", "upper-case bearer"):
        secret = _filled(drawn, "{A32}", digits=True)
        quote = drawn.choice(["'", '"', ""])
        word = "Bearer" if family == "bearer header" else drawn.choice(["BEARER", "BASIC", "TOKEN", "bEARER"])
        return secret, f"{quote}Authorization: {word} {secret}{quote}"
    if family == "xml password":
        secret = _filled(drawn, "{A14}", digits=True)
        name = drawn.choice(["password", "Password", "db:password", "passwd", "PassPhrase", "dbPassword"])
        more = drawn.choice(["", "", ' type="plain"', " encrypted='false'"])
        shapes = (
            "<{0}{1}>{2}</{0}>",
            "<user>harbor</user><{0}{1}>{2}</{0}>",
            "<{0}{1}>{2}",
            "<{0}{1}><![CDATA[{2}]]></{0}>",
        )
        return secret, shapes[number % len(shapes)].format(name, more, secret)
    if family == "name and value":
        secret = _filled(drawn, "{A24}", digits=True)
        name = drawn.choice(["DB_PASSWORD", "password", "API_KEY", "harbor.client-secret", "GH_TOKEN"])
        return secret, PAIRS[number % len(PAIRS)].format(name=name, value=secret)
    scheme = drawn.choice(["postgres", "postgresql+psycopg", "mysql", "mongodb+srv", "redis", "amqp", "https"])
    host = drawn.choice(["db.harborline.test:5432/bookings", "localhost/x?a=b", "10.0.0.7:6379", "db.harborline.test"])
    if family == "token in a url":
        secret = _filled(drawn, drawn.choice(["{A24}", "{h40}", "{A40}"]), digits=True)
        return secret, f"https://{secret}{drawn.choice(['', '', ':', ':x-oauth-basic'])}@{host}"
    if family == "user and token in a url":
        secret = _filled(drawn, "{A24}", digits=True)
        return secret, f"git clone https://oauth2:{secret}@{host}"
    secret = _filled(drawn, "{A16}", digits=True)
    if family == "odd database url":
        odd = drawn.choices(_ODD, k=3)
        secret = f"{drawn.choice('$%')}{secret[:3]}{odd[0]}{secret[3:9]}{odd[1]}{odd[2]}{secret[9:]}"
    elif family == "encoded database url":
        secret = f"%{drawn.choice(['24', '40', '2F', '25'])}{secret[:8]}%{drawn.choice(['21', '3a'])}{secret[8:]}"
    return secret, f"{scheme}://harbor:{secret}@{host}"


def _disguised(drawn: random.Random, number: int, family: str) -> tuple[str, str]:
    """Return a secret with colour codes or unseen characters in it or around it, and the text of its place."""
    if family in DISGUISED_KEYS:
        form, between = DISGUISED_KEYS[family]
        key = _filled(drawn, form, digits=True)
        at = drawn.randrange(1, len(key) - 1)
        secret = key[:at] + drawn.choice(between) + key[at:]
        return secret, f"use {drawn.choice(between)}{secret} there"
    name, form = NAMED_FORMS[drawn.choice(["an api key", "a secret", "a token", "a password"])]
    value, unseen = _filled(drawn, form, digits=True), drawn.choice(UNSEEN)
    at = drawn.randrange(4, len(value) - 4)
    shapes = DISGUISED_SHAPES[family]
    marks = {
        "on": drawn.choice(COLOURS),
        "off": drawn.choice([RESET, "\x1b[m", "\x1b[39m", "\x1b[0m\x1b[K"]),
        "unseen": unseen,
    }
    pieces = {
        "name": name,
        "value": value,
        "first": value[:at],
        "rest": value[at:],
        "cut": f"{name[:2]}{unseen}{name[2:]}",
    }
    shaped = shapes[number % len(shapes)].format(**marks, **pieces)
    begin = shaped.rindex(value[:at])
    return shaped[begin : shaped.rindex(value[at:]) + len(value) - at], shaped


def _filled(drawn: random.Random, form: str, *, digits: bool = False) -> str:
    while True:
        found = _SLOT.sub(lambda slot: _drawn(drawn, slot[1], int(slot[2])), form)
        if not digits or (any(map(str.isdigit, found)) and any(map(str.isalpha, found))):
            return found


def _drawn(drawn: random.Random, alphabet: str, length: int) -> str:
    return "".join(drawn.choices(_LETTERS[alphabet], k=length))


def _noise(drawn: random.Random) -> str:
    words = "harbor sails at six; retry(attempt=3) -> ok\tsrc/booking/seat.ts:41 warn: slow query 120ms".split(" ")
    return " ".join(drawn.choices(words, k=drawn.randrange(60)))


def _base64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def survives(one: Planted, shown: str) -> bool:
    """Return whether a useful piece of the secret is in the shown text, with or without what no terminal shows."""
    secret, shown = _BARE.sub("", one.secret), _BARE.sub("", shown)
    kept = secret[40:-40] if len(secret) > 200 else secret[-max(8, len(secret) * 3 // 4) :]
    return any(kept[at : at + 8] in shown for at in range(len(kept) - 7))

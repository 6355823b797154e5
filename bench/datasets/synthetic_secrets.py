"""Made-up secrets of many families, in texts around them."""

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
        if family in ("bearer header", "database url"):
            secret, shaped = _in_place(drawn, family)
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


FAMILIES: Final = (*FORMS, *NAMED_FORMS, "bearer header", "database url")


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


def _in_place(drawn: random.Random, family: str) -> tuple[str, str]:
    if family == "bearer header":
        secret = _filled(drawn, "{A32}", digits=True)
        quote = drawn.choice(["'", '"', ""])
        return secret, f"{quote}Authorization: Bearer {secret}{quote}"
    secret = _filled(drawn, "{A16}", digits=True)
    scheme = drawn.choice(["postgres", "postgresql+psycopg", "mysql", "mongodb+srv", "redis", "amqp", "https"])
    return secret, f"{scheme}://harbor:{secret}@db.harborline.test:5432/bookings"


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
    """Return whether a useful piece of the secret is in the shown text."""
    secret = one.secret
    kept = secret[40:-40] if len(secret) > 200 else secret[-max(8, len(secret) * 3 // 4) :]
    return any(kept[at : at + 8] in shown for at in range(len(kept) - 7))

"""A made-up language: pronounceable words with Zipfian frequencies, and compounds of them in every style of code."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 20_000
ZIPF = 1.05  # exponent of the word frequencies; natural text lies near 1
NON_ASCII_SHARE = 0.007  # of plain words, which gives 0.4 % of all tokens

_ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sk sl sp st t th tr v w y z".split()
_VOWELS = "a e i o u a e i o ai ea ee io oo ou".split()
_CODAS = [
    "",
    "",
    "",
    "",
    "b",
    "ck",
    "d",
    "g",
    "l",
    "m",
    "n",
    "nd",
    "ng",
    "nt",
    "p",
    "r",
    "rd",
    "rk",
    "s",
    "st",
    "t",
    "x",
]

FOREIGN = (
    "größe naïve façade résumé señal über smörgås łódź žluťoučký ölçüm "
    "проверка ошибка сервер файл ответ ключ δίκτυο σφάλμα διακομιστής κλειδί "
    "検索 設定 接続 エラー 再試行 サーバー 文件 配置 错误 重试 服务器 超时 오류 설정 서버 재시도 "
    "שגיאה שרת מפתח خطأ خادم مفتاح ตั้งค่า ผิดพลาด ✓ → 🚀 🐛"
).split()

STYLES = ("camel", "pascal", "snake", "kebab", "dotted", "path", "screaming")


@functools.cache
def words(size: int = SIZE, seed: int = 1) -> tuple[str, ...]:
    """Return distinct lower-case ASCII words, commonest first; rarer words are longer."""
    chance = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < size:
        syllables = (
            1 + (len(found) > 150) * chance.choice((0, 1, 1)) + (len(found) > 2000) * chance.choice((0, 1, 1, 2))
        )
        word = "".join(chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(syllables)) + chance.choice(
            _CODAS
        )
        if len(word) > 1:
            found[word] = None
    return tuple(found)


@functools.cache
def _cumulative(size: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    weights = 1.0 / np.arange(1, size + 1, dtype=np.float64) ** ZIPF
    totals: np.ndarray[tuple[int], np.dtype[np.float64]] = np.cumsum(weights / weights.sum())
    return totals


def zipf(generator: np.random.Generator, count: int, size: int = SIZE) -> list[int]:
    """Return `count` word ranks (0 = commonest), drawn with Zipfian frequencies."""
    drawn = np.searchsorted(_cumulative(size), generator.random(count)).clip(max=size - 1)
    return [int(rank) for rank in drawn]


def write(concept: Sequence[str], style: str) -> str:
    """A compound in one of STYLES, or its words apart for "space".

    >>> [write(("rate", "limit"), style) for style in STYLES]
    ['rateLimit', 'RateLimit', 'rate_limit', 'rate-limit', 'rate.limit', 'rate/limit', 'RATE_LIMIT']
    """
    match style:
        case "camel":
            return concept[0] + "".join(word.capitalize() for word in concept[1:])
        case "pascal":
            return "".join(word.capitalize() for word in concept)
        case "snake":
            return "_".join(concept)
        case "kebab":
            return "-".join(concept)
        case "dotted":
            return ".".join(concept)
        case "path":
            return "/".join(concept)
        case "screaming":
            return "_".join(concept).upper()
        case "space":
            return " ".join(concept)
        case "glued":
            return "".join(concept)
    raise ValueError(f"style must be one of {', '.join(STYLES)}, space or glued, not {style!r}")


def misspell(text: str, chance: random.Random) -> str:
    """Return the text with one edit inside a word: a letter dropped, doubled, replaced or swapped with the next.

    Raises ValueError when the text has no two adjacent letters.
    """
    letters = [at for at in range(1, len(text)) if text[at].isalpha() and text[at - 1].isalpha()]
    if not letters:
        raise ValueError(f"nothing to misspell in {text!r}")
    while True:
        at = chance.choice(letters)
        match chance.randrange(4):
            case 0:
                edited = text[:at] + text[at + 1 :]
            case 1:
                edited = text[:at] + text[at] + text[at:]
            case 2:
                edited = text[:at] + chance.choice("abcdefghijklmnopqrstuvwxyz") + text[at + 1 :]
            case _:
                edited = text[: at - 1] + text[at] + text[at - 1] + text[at + 1 :]
        if edited != text:
            return edited

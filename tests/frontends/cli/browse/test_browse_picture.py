"""The picture of the picker in README and docs/browse.md is what the picker draws over the demo history.

`python -m tests.frontends.cli.browse.test_browse_picture --write` makes it anew.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

import pytest

pytest.importorskip("textual")

from tests.support.frontends.picker import demo_recall, drive, open_picker

PICTURE = Path(__file__).resolve().parents[4] / "docs" / "browse.svg"
_MOST = 150_000  # bytes
_ADDRESS = re.compile(r"https?://(?!www\.w3\.org/)[^\s\"')]+")
_FONT_FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)
_FAMILY = re.compile(r"Fira Code,")
_NAMES = re.compile(r"terminal-\d+")  # a number that is drawn from the content
_TEXT = re.compile(r">([^<>]+)</text>")


def drawn(folder: Path) -> str:
    """The picker at 104 x 26 as SVG that loads nothing: fonts of the reader stand in for those that Textual names."""
    made: list[str] = []

    async def test() -> None:
        async with open_picker(demo_recall(folder), query="rate limit", size=(104, 26)) as picker:
            await picker.press("down")
            await picker.answered()
            await picker.pilot.pause()
            picker.app._told = "10 hits in 64 parts, 2 ms"  # the time of this machine is not part of the picture
            picker.app._tell_status()
            await picker.pilot.pause()
            made.append(picker.app.export_screenshot(title="recall-rank browse"))

    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        drive(test())
    finally:
        os.environ.pop("TZ")
        os.environ.update({} if before is None else {"TZ": before})
        time.tzset()
    text = _FAMILY.sub("", _FONT_FACE.sub("", made[0]))
    text = re.sub(r"<!-- Generated with Rich.*?-->", "", text)
    return _NAMES.sub("terminal", "\n".join(line.rstrip() for line in text.split("\n") if line.strip())) + "\n"


def test_the_picture_is_small_and_loads_nothing() -> None:
    text = PICTURE.read_text(encoding="utf-8")
    assert len(text.encode()) < _MOST
    assert _ADDRESS.findall(text) == []
    for word in ("@font-face", "@import", "url(http", "<script", "<image", "href", "/work", "/root"):
        assert word not in text, word


def test_the_picture_shows_what_the_picker_draws(tmp_path: Path) -> None:
    made, kept = drawn(tmp_path), PICTURE.read_text(encoding="utf-8")
    assert _TEXT.findall(made) == _TEXT.findall(kept)
    assert "rate" in kept


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    with tempfile.TemporaryDirectory() as name:
        PICTURE.write_text(drawn(Path(name)), encoding="utf-8")

"""The documentation site: its navigation names every page, and a page of it requests nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"
MADE = {"docs/api.md"}  # by the hook, from the docstrings


@pytest.fixture
def hook() -> ModuleType:
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")
    spec = importlib.util.spec_from_file_location("pages", SITE / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_navigation_names_every_page_once() -> None:
    navigation = (SITE / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"^ +- (?:[A-Z]\w+: )?(\S+\.md)\b", navigation, re.MULTILINE)
    assert len(named) == len(set(named))
    assert {name for name in named if not (ROOT / name).is_file()} == MADE
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert {name for name in named if "/" not in name or name.startswith("docs/")} - MADE == {
        path.relative_to(ROOT).as_posix() for path in pages
    }


def test_every_picture_of_a_page_is_shown(hook: ModuleType) -> None:
    shown = {path.name for pattern in hook.SHOWN for path in ROOT.glob(pattern)}
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        pictures = re.findall(r"!\[[^\]]*\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8"))
        assert {Path(picture).name for picture in pictures} <= shown, page


@pytest.mark.parametrize(
    "request_",
    [
        '<script src="https://cdn.example/a.js">',
        "<script async src=//cdn.example/a.js>",
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<p><img alt="" src="http://badge.example/x.svg">',
    ],
)
def test_a_page_that_requests_something_from_elsewhere_is_refused(hook: ModuleType, request_: str) -> None:
    from mkdocs.exceptions import PluginError

    with pytest.raises(PluginError, match="requests from elsewhere"):
        hook.on_post_page(f"<html>{request_}</html>", page="a page")


def test_links_and_files_of_the_site_are_no_requests(hook: ModuleType) -> None:
    text = '<a href="https://example.org/"><img src="../a.svg"><script src="assets/a.js"></script>'
    assert hook.on_post_page(text, page="a page") == text

"""Ends commands that need the extra `web` where its packages are absent."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from recall_rank.frontends.cli.output.console import USAGE, fail

_PACKAGES: Final = ("jinja2", "starlette", "uvicorn")


def fail_without_web(what: str) -> None:
    """End the command unless the packages of the extra `web` are there; `what` needs them."""
    if any(find_spec(name) is None for name in _PACKAGES):
        fail(f"""{what} needs the extra "web": pip install 'recall-rank[web]'""", USAGE, as_json=False)

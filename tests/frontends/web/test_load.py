"""Many requests at once: all are answered, and more than can wait are told to come back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from recall_rank.frontends.web import app
from tests.support.frontends.web_pages import client_of, demo_recall, long_session, recall_of, served


async def _all_of(first: str, addresses: list[str]) -> list[int]:
    """The status of each address, asked for at once by one client that was let in."""
    limits = httpx.Limits(max_connections=len(addresses))
    base = first.partition("/?")[0]
    async with httpx.AsyncClient(limits=limits, timeout=100, follow_redirects=True) as client:
        assert (await client.get(first)).status_code == 200
        answers = await asyncio.gather(*(client.get(base + each) for each in addresses))
        alive = await client.get(f"{base}/")
    assert alive.status_code == 200
    return [each.status_code for each in answers]


@pytest.mark.slow
def test_five_hundred_requests_at_once() -> None:
    with served(recall_of(long_session(300))) as first:
        pages = [
            "/?q=ferry",
            "/session?id=long&q=lighthouse",
            "/?q=lighthose+blink",
            "/activity",
            "/session?id=long&page=3",
        ]
        assert asyncio.run(_all_of(first, pages * 100)) == [200] * 500


def test_more_than_can_wait_are_told_to_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MAX_WAITING", 0)
    client = client_of(demo_recall(tmp_path), let_in=False)
    client.get("/?token=token-of-the-tests", follow_redirects=False)
    answer = client.get("/?q=rate")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")

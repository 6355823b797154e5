"""Many requests at once: all are answered. Many connections: those that ask for nothing keep nobody out."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.web import serve
from tests.support.frontends.web_pages import long_session, recall_of, served, serving

FLOOD = 1_200  # connections; a shell gives a program 1,024 files
BROWSERS = 40  # connections at once


async def _all_of(first: str, addresses: list[str]) -> list[int]:
    """The status of each address, asked for at once by one client that was let in."""
    limits = httpx.Limits(max_connections=BROWSERS)
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


# --- connections that ask for nothing ----------------------------------------------------------------------------


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process have as many open sockets as a flood takes."""
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < FLOOD + 500:
        pytest.skip("too few files may be open")
    resource.setrlimit(resource.RLIMIT_NOFILE, (FLOOD + 500, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.usefixtures("many_files")
def test_idle_connections_do_not_keep_a_browser_out(tmp_path: Path) -> None:
    path = tmp_path / "history.jsonl"
    path.write_text(history(), encoding="utf-8")
    words = ["web", "--no-open", "--history", str(path), "--cache", str(tmp_path / "cache")]
    limited = (  # as many files as a shell gives a program
        "import resource, runpy, sys\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (1024, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n"
        f"sys.argv[1:] = {words!r}\nrunpy.run_module('recall_rank', run_name='__main__')"
    )
    said = tmp_path / "stderr"
    with said.open("wb") as stderr:
        process = subprocess.Popen([sys.executable, "-c", limited], stdout=subprocess.PIPE, stderr=stderr, text=True)
    idle: list[socket.socket] = []
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        port = int(address.rpartition("/?")[0].rpartition(":")[2])
        for _ in range(FLOOD):
            each = socket.socket()
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", port))
            idle.append(each)
        with httpx.Client(follow_redirects=True, timeout=20, transport=httpx.HTTPTransport(retries=3)) as client:
            assert client.get(address).status_code == 200
        files = len(list(Path(f"/proc/{process.pid}/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0
        assert files < 400
        assert said.read_text() == "open this address in a browser on this machine; Ctrl-C ends it\n"
    finally:
        for each in idle:
            each.close()
        process.kill()
        process.wait(20)
        if process.stdout is not None:
            process.stdout.close()


def closed_after(sock: socket.socket, *, every: float = 0.05, data: bytes = b"x") -> float | None:
    """Seconds until the server closes a connection to which a byte is sent again and again; None for more than 5."""
    began = time.monotonic()
    sock.settimeout(every)
    while (waited := time.monotonic() - began) < 5:
        try:
            if data:
                sock.sendall(data)
            if sock.recv(4_096) == b"":
                return waited
        except TimeoutError:
            continue
        except OSError:
            return waited
    return None


async def slow(scope: Any, receive: Any, send: Any) -> None:
    """An application that takes longer to answer than headers may take to come."""
    await asyncio.sleep(0.8)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.mark.parametrize("begun", [b"", b"G", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
@pytest.mark.parametrize("data", [b"", b"x"])
def test_headers_that_do_not_come_end_a_connection(monkeypatch: pytest.MonkeyPatch, begun: bytes, data: bytes) -> None:
    monkeypatch.setattr(serve, "HEADER_SECONDS", 0.4)
    with serving(slow) as port, socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(begun)
        waited = closed_after(sock, data=data if begun else b"")
        assert waited is not None
        assert waited > 0.2


def test_a_request_that_is_answered_slowly_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "HEADER_SECONDS", 0.2)
    with serving(slow) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        assert [client.get("/").text for _ in range(3)] == ["ok"] * 3


def test_a_connection_that_was_answered_ends_when_nothing_more_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes that are no request do not keep it."""
    monkeypatch.setattr(serve, "KEEP_ALIVE_SECONDS", 0.5)
    with serving(slow) as port, socket.create_connection(("127.0.0.1", port)) as sock:
        sock.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        sock.settimeout(5)
        assert sock.recv(4_096).startswith(b"HTTP/1.1 200")
        assert closed_after(sock, data=b"G") is not None


def test_of_too_many_connections_those_that_wait_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MAX_CONNECTIONS", 4)
    with serving(slow) as port, contextlib.ExitStack() as stack:
        busy = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        busy.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        time.sleep(0.3)  # until its request is read
        idle = [stack.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(6)]
        busy.settimeout(5)
        assert busy.recv(4_096).startswith(b"HTTP/1.1 200")
        for each in idle:
            each.settimeout(0.2)
        assert [is_closed(each) for each in idle] == [True, True, True, False, False, False]


def is_closed(sock: socket.socket) -> bool:
    try:
        return sock.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True

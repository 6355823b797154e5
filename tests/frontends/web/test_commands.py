"""The commands around the pages: a page to give away, what they need, and what a search does not load."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from recall_rank.frontends.cli.options import web_extra
from recall_rank.frontends.demo.generate import history
from recall_rank.frontends.web import serve as serving
from recall_rank.frontends.web.serve import PortTakenError, serve
from recall_rank.frontends.web.standalone_page import standalone_page
from tests.frontends.conftest import Run
from tests.support.frontends.terminal import heed_interrupts, shell_status
from tests.support.frontends.web_pages import Elements, demo_recall, long_session, wait_until

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "history.jsonl"
    session = {"t": "session", "id": "s-secret", "title": f"key {SECRET}", "updated": 1_780_000_000_000}
    said = {"t": "message", "id": "m1", "session": "s-secret", "role": "user", "time": 1_780_000_000_000}
    part = {"id": "p1", "type": "text", "text": f"use {SECRET} now"}
    lines = [json.dumps(session), json.dumps({**said, "parts": [part]})]
    path.write_text(history() + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_shared_page_has_no_secrets_unless_they_are_wanted(run: Run, file: Path, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    for words, there in (((), False), (("--redact",), False), (("--no-redact",), True)):
        result = run("web", "s-secret", "--share", target, "--force", "--history", file, *words)
        assert result.exit_code == 0, result.output
        page = target.read_text(encoding="utf-8")
        assert (SECRET in page) is there
        assert ("were replaced" in page) is not there
        assert "use " in page


def test_the_exported_page_is_that_of_the_same_templates(run: Run, file: Path) -> None:
    page = run("export", "demo-10", "--format", "html", "--history", file).stdout
    assert page.startswith("<!doctype html>")
    found = Elements(page)
    assert [each["id"] for each in found.all("article")][:2] == ["m1", "m2"]
    assert found.all("details")
    assert not found.all("script")
    assert not found.all("link")
    assert "sha256-" in page


def test_a_page_of_a_thousand_messages_is_its_text_and_little_more() -> None:
    session = long_session(1_000)
    text = sum(
        len((part.text or "") + (part.output or "") + str(part.input or ""))
        for each in session.messages
        for part in each.parts
    )
    page = "".join(standalone_page(session))
    assert len(page.encode()) - text < 300_000


def test_a_session_and_a_file_go_together(run: Run, file: Path, tmp_path: Path) -> None:
    for words in (("demo-10",), ("--share", tmp_path / "x")):
        result = run("web", *words, "--history", file)
        assert result.exit_code == 2
        assert "go together" in result.stderr
    missing = run("web", "nowhere", "--share", tmp_path / "x", "--history", file)
    assert missing.exit_code == 5
    assert not (tmp_path / "x").exists()


def test_without_the_extra_it_is_named(run: Run, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_extra, "find_spec", lambda _: None)
    for words in (("web",), ("export", "demo-10", "--format", "html")):
        result = run(*words, "--history", file)
        assert result.exit_code == 2
        assert "pip install 'recall-rank[web]'" in result.stderr
    assert run("export", "demo-10", "--history", file).exit_code == 0


@pytest.mark.parametrize("words", [["search", "rate limit"], ["export", "demo-10"], ["--help"], ["stats"]])
def test_other_commands_load_none_of_it(file: Path, words: list[str]) -> None:
    code = (
        "import sys\nfrom recall_rank.frontends.cli.main import cli\n"
        f"try: cli({[*words, *(['--history', str(file)] if words[0] != '--help' else [])]!r})\n"
        "except SystemExit: pass\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'starlette', 'uvicorn', 'jinja2', 'asyncio', 'pygments'}), file=sys.stderr)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert answer.stderr.strip().splitlines()[-1] == "[]", answer.stderr


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let SIGINT interrupt this process: a shell that runs the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_taken_port_is_said_or_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recall = demo_recall(tmp_path)
    addresses: list[str] = []

    def stop(address: str) -> None:
        addresses.append(address)
        signal.raise_signal(signal.SIGINT)

    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} of"):
            serve(recall, stop, port=port)
        monkeypatch.setattr(serving, "PORT", port)
        with pytest.raises(KeyboardInterrupt):
            serve(recall, stop)
    (address,) = addresses
    assert address.startswith("http://127.0.0.1:")
    assert f":{port}/" not in address


def test_the_command_serves_until_it_is_interrupted(file: Path, tmp_path: Path) -> None:
    words = ["-m", "recall_rank", "web", "--no-open", "--history", str(file), "--cache", str(tmp_path / "cache")]
    process = subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - these tests have one thread
    )
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.communicate(timeout=30)
        base = address.partition("/?")[0]
        with httpx.Client(follow_redirects=True) as client:
            assert client.get(base).status_code == 403
            assert "booking" in client.get(address).text
            form = Elements(client.get(f"{base}/forget?id=demo-10").text)
            fields = {each["name"]: each["value"] for each in form.all("input")}
            done = client.post(f"{base}/forget", data=fields, headers={"origin": base})
            assert done.status_code == 200, done.text
            assert client.get(f"{base}/session?id=demo-10").status_code == 404
            assert (
                "No hits" in client.get(f"{base}/?q=Partners+hammer+session_id").text
                or "demo-10" not in client.get(f"{base}/?q=rate+limit").text
            )
        assert "demo-10" in file.read_text(encoding="utf-8")  # the history stays as it is
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        assert shell_status(process.wait(20)) == 130
        assert time.monotonic() - began < 15
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.mark.posix
def test_no_command_line_has_the_token(file: Path, tmp_path: Path) -> None:
    """Any user of the machine reads command lines. A stand-in of the program that opens addresses writes down what it
    is given.
    """
    seen = tmp_path / "seen"
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("xdg-open", "open"):
        opener = programs / name
        note = f'ps axww -o args > {seen}.all\nprintf "%s" "$1" > {seen}.new\nmv {seen}.new {seen}'
        opener.write_text(f"#!/bin/sh\n{note}\n")
        opener.chmod(0o700)
    words = [sys.executable, "-m", "recall_rank", "web", "--history", str(file), "--cache", str(tmp_path / "cache")]
    env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(tmp_path), "DISPLAY": ":0"}
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True, env=env, preexec_fn=heed_interrupts)  # noqa: PLW1509
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        base, _, token = address.partition("/?token=")
        assert len(token) > 30
        wait_until(seen.is_file)
        page = Path(seen.read_text().removeprefix("file://"))
        assert token not in str(page)
        assert token not in Path(f"{seen}.all").read_text()
        assert token.encode() not in Path(f"/proc/{process.pid}/environ").read_bytes() or sys.platform != "linux"
        assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        leads = [each["content"] or "" for each in Elements(page.read_text()).all("meta") if "http-equiv" in each]
        assert leads == [f"0;url={address}"]
        browser = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        with httpx.Client(base_url=base) as client:
            first = client.get(address, headers=browser)  # as a page of a file leads there
            assert first.status_code == 200
            assert "booking" not in first.text
            assert [each["content"] for each in Elements(first.text).all("meta") if "http-equiv" in each] == ["0;url=/"]
            assert "booking" in client.get("/", headers={**browser, "sec-fetch-site": "same-origin"}).text
            assert client.get("/", headers=browser).status_code == 403  # a page of another site gets nothing
        process.send_signal(signal.SIGINT)
        assert shell_status(process.wait(20)) == 130
        assert not page.parent.exists()
    finally:
        process.kill()
        process.communicate(timeout=20)

"""Security of the tools: paths as arguments, swaps during a walk, networks, frames in great number, dead parents."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recall_rank.frontends.host_options import HostOptions
from recall_rank.frontends.mcp.offer import ServerOffer
from recall_rank.loaders import Loader, open_source, open_sources, registry
from recall_rank.loaders.files.regular_files import open_file, walk_files
from recall_rank.loaders.sqlite import database as sqlite_database
from recall_rank.loaders.sqlite.database import Database
from recall_rank.model import Source
from tests.fixtures.make_bombs import many_sessions
from tests.fixtures.make_fixtures import write_claude, write_history, write_opencode
from tests.support.frontends.served_frames import INITIALIZE, INITIALIZED, NOTIFICATIONS, REQUESTS, ServedFrames
from tests.support.histories.every_store import STORES, write_neighbour
from tests.support.loaders.age import age
from tests.support.soak import first_seed, portion, times, tried

START = "from recall_rank.frontends.cli.main import main; main()"
TRACEABLE = sys.platform == "linux" and shutil.which("strace") is not None
CANARY = "zephyrcanary7351"
PLAIN = {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {}}}  # of a client that has no roots
OPENING = [json.dumps(PLAIN).encode(), json.dumps(INITIALIZED).encode()]


def frame(number: object, method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def traced(told: Path, words: list[str], data: bytes = b"", before: tuple[str, ...] = ()) -> tuple[bytes, list[str]]:
    """What a command writes, and its system calls that open files, start programs or use sockets."""
    command = [*before, "strace", "-f", "-qq", "-s", "4096", "-o", str(told), "-e"]
    command += ["trace=open,openat,openat2,execve,socket,connect", sys.executable, "-c", START, *words]
    environment = {**os.environ, "XDG_CACHE_HOME": str(told.parent / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, input=data, capture_output=True, env=environment, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    return done.stdout, told.read_text("utf-8", "replace").splitlines()


# --- T2: ids are keys ------------------------------------------------------------------------------------------


def paths_to(outside: Path, base: Path) -> list[str]:
    """Ways to name a file outside: absolute, relative, encoded, by links of the system, with odd separators."""
    up = os.path.relpath(outside, base)
    found = [str(outside), up, f"./{up}", f"../{up}", f"/{up}", f"file://{outside}", f"//{outside}", f"~/{up}"]
    found += [f"/proc/self/root{outside}", f"/dev/fd/../../..{outside}", str(outside).replace("/", "//")]
    found += [up.replace("/", "\\"), up.replace("/", "%2f"), up.replace("..", "%2e%2e"), f"{up}\0", f"{up}\n", f" {up}"]
    found += [f"{outside.parent}/*", f"{outside.parent}/**", f"{outside}:1", f"recall://session/{outside}"]
    found += [f"{'../' * depth}{str(outside).lstrip('/')}" for depth in range(3, 20)]
    return [*found, *(f"{each}#x" for each in found), *(f"tide{each}" for each in found), str(outside.parent)]


@pytest.mark.promise("T2")
@pytest.mark.slow
@pytest.mark.skipif(not TRACEABLE, reason="needs strace")
def test_a_path_as_an_argument_opens_nothing(tmp_path: Path) -> None:
    base, outside = tmp_path / "stores", tmp_path / "outside" / "secret.jsonl"
    write_history(base / "history.jsonl")
    outside.parent.mkdir()
    write_history(outside)
    frames = list(OPENING)
    named = paths_to(outside, base)
    for tool in ServerOffer(HostOptions()).tools_result("test")["tools"]:
        required = dict.fromkeys(tool["inputSchema"].get("required", ()), "tide")
        for name, schema in tool["inputSchema"]["properties"].items():
            if schema.get("type") not in ("string", "array"):
                continue
            for each in named[:: times(25, 1, ci=10)]:
                value = [each] if schema["type"] == "array" else each
                call = {"name": tool["name"], "arguments": {**required, name: value}}
                frames.append(frame(len(frames), "tools/call", call))
    frames += [frame(f"r{at}", "resources/read", {"uri": f"recall://session/{each}"}) for at, each in enumerate(named)]
    # one after another, as no more than a few calls may be open
    words = ["mcp", "--history", str(base / "history.jsonl"), "--no-cache"]
    output, calls = in_turn(tmp_path / "trace", words, frames)
    answered = [json.loads(line) for line in output.splitlines()]
    assert len(answered) == len(frames) - 1
    tried(len(frames) - 2)
    assert any(f"{base}/history.jsonl" in call for call in calls), "the trace shows what is opened"
    assert [call for call in calls if "outside" in call] == []


def in_turn(told: Path, words: list[str], frames: list[bytes]) -> tuple[bytes, list[str]]:
    """Send frames to a traced server, each request after the answer to the last."""
    command = ["strace", "-f", "-qq", "-s", "4096", "-o", str(told), "-e", "trace=open,openat,openat2,execve"]
    command += [sys.executable, "-c", START, *words]
    lines = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for each in frames:
            server.stdin.write(each + b"\n")
            server.stdin.flush()
            if b'"id"' in each:
                lines.append(server.stdout.readline())
        server.stdin.close()
    assert server.returncode == 0
    return b"".join(lines), told.read_text("utf-8", "replace").splitlines()


# --- T3: swaps during a walk -----------------------------------------------------------------------------------

# Exchanges a folder with a link that leads outside, and a file with a link, again and again, until it is killed.
SWAPPER = """
import os, sys
folder, file, outside = sys.argv[1:]
print("ready", flush=True)
while True:
    for path, target in ((folder, outside), (file, os.path.join(outside, "secret.jsonl"))):
        os.rename(path, path + ".away")
        os.symlink(target, path)
        os.unlink(path)
        os.rename(path + ".away", path)
"""


@contextlib.contextmanager
def swapping(folder: Path, file: Path, outside: Path) -> Iterator[None]:
    command = [sys.executable, "-c", SWAPPER, str(folder), str(file), str(outside)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as swapper:
        assert swapper.stdout is not None
        swapper.stdout.readline()
        try:
            yield
        finally:
            assert swapper.poll() is None, "nothing was swapped any more"
            swapper.kill()


@pytest.mark.promise("T3")
@pytest.mark.skipif(sys.platform != "linux", reason="links and descriptors as on Linux")
def test_what_is_swapped_during_a_walk_is_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    for folder in (root / "deep" / "inner", outside):
        folder.mkdir(parents=True)
    files = [root / "deep" / "inner" / "secret.jsonl", root / "plain.jsonl"]
    for path in files:
        path.write_bytes(b"inside")
    (outside / "secret.jsonl").write_bytes(CANARY.encode())
    walks, seen, refused = portion(2_000, 1_000_000, ci=5_000), set(), 0
    with swapping(root / "deep" / "inner", files[1], outside):
        for _ in range(walks):
            for path in {*files, *walk_files(root, lambda name: name.endswith(".jsonl"), [])}:
                try:
                    with open_file(path, root) as file:
                        seen.add(file.read())
                except OSError:
                    refused += 1
    tried(walks)
    assert seen == {b"inside"}
    assert refused > 0, "nothing was swapped while it was read"


@pytest.mark.promise("T3")
@pytest.mark.skipif(sys.platform != "linux", reason="links and descriptors as on Linux")
def test_a_store_that_is_swapped_while_it_is_read_shows_nothing_of_another(tmp_path: Path) -> None:
    home, outside = write_claude(tmp_path / "home"), tmp_path / "outside"
    outside.mkdir()
    (project,) = [path for path in (home / "projects").iterdir() if any(path.glob("*.jsonl"))][:1]
    file = min(project.glob("*.jsonl"))
    said = {"type": "user", "uuid": "u1", "sessionId": "s1", "cwd": "/x", "timestamp": "2026-05-28T21:00:00.000Z"}
    for name in ("secret.jsonl", *(path.name for path in project.glob("*.jsonl"))):
        line = json.dumps({**said, "message": {"role": "user", "content": CANARY}})
        (outside / name).write_text(line + "\n", encoding="utf-8")
    readings, each_time, found = portion(600, 100_000, ci=2_000), 10, 0
    source = open_source(home / "projects")  # which folder is a store is decided here, before anything is swapped
    with swapping(project, file, outside):
        for _ in range(0, readings, each_time):
            with contextlib.suppress(OSError):  # the folder may not be there for a moment
                for unit in [*source.units()] * each_time:
                    with contextlib.suppress(OSError):
                        sessions = source.read(unit).sessions
                        found += len(sessions)
                        assert CANARY not in repr(sessions)
    tried(readings)
    assert found > readings / 2


@pytest.mark.promise("T3")
def test_a_link_that_is_replaced_while_it_is_resolved_hides_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the whole folder was told as one that cannot be listed."""
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "z.jsonl").touch()
    root = os.path.realpath(tmp_path)

    def gone(path: object, **_: object) -> str:
        raise OSError(errno.EINVAL, "Invalid argument", str(path))

    monkeypatch.setattr(os, "readlink", gone)
    skipped: list[str] = []
    found = [path.name for path in walk_files(Path(root), lambda name: name.endswith(".jsonl"), skipped)]
    assert found == ["a.jsonl", "z.jsonl"]
    assert len(skipped) == (1 if sys.version_info < (3, 13) else 0)  # whose realpath() asks no further


# In the tests below, the folder of a store is exchanged with a link at a chosen moment.


def texts(sources: Iterable[Source]) -> set[str]:
    """Every title and text that the sources show, and what they say of the records that they cannot read."""
    said: set[str] = set()
    for source in sources:
        with contextlib.suppress(OSError):
            for unit in source.units():
                with contextlib.suppress(OSError):
                    reading = source.read(unit)
                    for session in reading.sessions:
                        said |= {session.title or "", session.directory or ""}
                        parts = (part for message in session.messages for part in message.parts)
                        said |= {text for part in parts for text in (part.text, part.output) if text}
    return said - {""}


@pytest.mark.promise("T3")
@pytest.mark.parametrize("store", STORES)
def test_a_folder_that_becomes_a_link_while_a_source_is_opened_is_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: str
) -> None:
    STORES[store](tmp_path / "outside")
    way = tmp_path / "root" / "way"
    way.mkdir(parents=True)
    write_neighbour(tmp_path / "root")
    plain = texts(open_sources(tmp_path / "root"))
    assert texts(open_sources(tmp_path / "outside"))
    asked = registry._recognised

    def swapped(loader: Loader, path: Path) -> Source | None:
        if path == way and not way.is_symlink():
            way.rmdir()
            way.symlink_to(tmp_path / "outside")
        return asked(loader, path)

    monkeypatch.setattr(registry, "_recognised", swapped)
    found = open_sources(tmp_path / "root")
    assert way.is_symlink(), "nothing was swapped"
    assert texts(found) == plain
    assert any("a link is not followed" in warning for source in found for warning in source.warnings)


@pytest.mark.promise("T3")
@pytest.mark.parametrize("store", STORES)
def test_a_store_whose_folder_becomes_a_link_later_is_not_read(tmp_path: Path, store: str) -> None:
    way, outside = tmp_path / "root" / "way", tmp_path / "outside"
    STORES[store](way / "home")
    sources = open_sources(tmp_path / "root")
    assert texts(sources)
    for source in sources:
        getattr(source, "close", lambda: None)()
    way.rename(outside)
    way.symlink_to(outside)
    assert not texts(sources)
    assert not texts(open_sources(tmp_path / "root"))


@pytest.mark.promise("T3")
@pytest.mark.skipif(sys.platform != "linux", reason="links and descriptors as on Linux")
def test_a_database_that_is_swapped_while_it_is_read_shows_nothing_of_another(tmp_path: Path) -> None:
    inside, outside = tmp_path / "root" / "inner", tmp_path / "outside"
    for folder, said in ((inside, "inside"), (outside, CANARY)):
        folder.mkdir(parents=True)
        with contextlib.closing(sqlite3.connect(folder / "some.db")) as made, made:
            made.execute("CREATE TABLE t AS SELECT ? AS n", [said])
        age(folder / "some.db")
    (tmp_path / "root" / "plain").touch()
    readings, seen, refused = portion(1_000, 100_000, ci=3_000), set(), 0
    with swapping(inside, tmp_path / "root" / "plain", outside):
        for _ in range(readings):
            database = Database(inside / "some.db")
            try:
                seen |= {row[0] for row in database.read(lambda reader: reader.fetch_few("SELECT n FROM t"))}
            except OSError:
                refused += 1
            finally:
                database.close()
    tried(readings)
    assert seen == {b"inside"}
    assert refused > 0, "nothing was swapped while it was read"


@pytest.mark.promise("T3")
@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="the system does not tell what is open")
def test_another_file_than_the_database_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite opens by path: here always a file that a link led to for a moment."""
    for name in ("inside.db", "outside.db"):
        with contextlib.closing(sqlite3.connect(tmp_path / name)) as made, made:
            made.execute("CREATE TABLE t AS SELECT ? AS n", [name])
        age(tmp_path / name)
    connect = sqlite_database._connect
    monkeypatch.setattr(sqlite_database, "_connect", lambda path, mode: connect(path.with_name("outside.db"), mode))
    with pytest.raises(OSError, match="it changed during every attempt"):
        Database(tmp_path / "inside.db").read(lambda reader: reader.fetch_few("SELECT n FROM t"))


@pytest.mark.parametrize("store", STORES)
def test_a_folder_that_is_named_may_be_a_link(tmp_path: Path, store: str) -> None:
    STORES[store](tmp_path / "outside")
    (tmp_path / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "above").symlink_to(tmp_path)
    plain = texts(open_sources(tmp_path / "outside"))
    assert texts(open_sources(tmp_path / "link")) == plain
    assert texts(open_sources(tmp_path / "above" / "outside")) == plain


# --- T7: frames in great number, and the end of the parent ------------------------------------------------------

ODD: tuple[Any, ...] = (
    *(None, True, 0, -1, 7, "7", 1.5, 2**64, "", "\x00", "9" * 5_000, "\u0667", "\ud800", [], {}, [1], {"a": []}),
    *(float("nan"), float("inf"), "2025-06-18", "recall", {"query": "tide"}, "recall://session/tide-tables"),
)
DEFECT = -32603  # the code of an error that is the server's own
NAMES = ("requestId", "progressToken", "progress", "name", "arguments", "uri", "level", "cursor", "_meta", "reason")


def random_frame(chance: random.Random) -> bytes:
    """A request, notification or response with odd values, sometimes with changed bytes; never with a line end."""
    params: Any = {chance.choice(NAMES): chance.choice(ODD) for _ in range(chance.randrange(4))}
    if chance.random() < 0.3:
        called = {chance.choice(("query", "session_id", "limit", "results")): chance.choice(ODD) for _ in range(2)}
        params = {"name": chance.choice(("recall", "recall_get", "recall_sessions")), "arguments": called}
    message: dict[str, Any] = {"jsonrpc": "2.0", "params": params if chance.random() < 0.9 else chance.choice(ODD)}
    kind = chance.random()
    if kind < 0.5:
        message |= {"id": chance.choice((*range(9), *ODD)), "method": chance.choice(REQUESTS)}
    elif kind < 0.9:
        message["method"] = method = chance.choice(NOTIFICATIONS)
        if method == "notifications/cancelled" and isinstance(message["params"], dict):
            message["params"] = {"requestId": chance.choice(ODD), **message["params"]}
    else:
        message |= {"id": chance.choice(ODD), "result": chance.choice(ODD)}
    line = bytearray(json.dumps(message).encode())
    for _ in range(chance.randrange(1, 5) if chance.random() < 0.3 else 0):
        at = chance.randrange(len(line))
        match chance.randrange(4):
            case 0:
                line[at] ^= 1 << chance.randrange(8)
            case 1:
                del line[at : at + chance.randrange(1, 40)]
            case 2:
                line[at:at] = chance.randbytes(chance.randrange(1, 8))
            case _:
                line[at:at] = b"[" * chance.choice((1, 70))
        line = line or bytearray(b"{")
    return bytes(line).replace(b"\n", b" ")


@pytest.mark.promise("T7")
@pytest.mark.slow
def test_frames_in_great_number() -> None:
    """After any frames the server answers a ping, writes only JSON, and has no defect."""
    count, each_time, per_server = portion(600, 1_000_000, ci=3_000), 8, 20_000
    chance = random.Random(first_seed() + 7)
    done = 0
    while done < count:
        with ServedFrames() as there:
            for _ in range(0, min(per_server, count - done), each_time):
                there.send(*(random_frame(chance) for _ in range(each_time)))
                answers = there.answers()
                assert len(answers) <= 2 * each_time + 2
                assert [each for each in answers if each.get("error", {}).get("code") == DEFECT] == []
                done += each_time
    tried(done)


PARENT = """
import json, subprocess, sys, time
calls, words = int(sys.argv[1]), sys.argv[2:]
server = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for frame in json.loads(sys.stdin.readline()):
    server.stdin.write(json.dumps(frame).encode() + b"\\n")
server.stdin.flush()
server.stdout.readline()
call = {"name": "recall", "arguments": {"query": "lamp lit", "match": "fuzzy"}}
for number in range(1, calls + 1):
    frame = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
    server.stdin.write(json.dumps(frame).encode() + b"\\n")
server.stdin.flush()
print(server.pid, flush=True)
time.sleep(600)
"""


def alive(process: int) -> bool:
    """Whether a process runs, and is not merely waiting to be buried."""
    try:
        return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.promise("T7")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("calls", [0, 30], ids=["idle", "answering"])
@pytest.mark.parametrize("sessions", [1, 8_000], ids=["read", "reading"])
def test_the_server_ends_when_its_parent_dies(tmp_path: Path, calls: int, sessions: int) -> None:
    path = many_sessions(tmp_path / "history.jsonl", sessions)
    command = [sys.executable, "-c", PARENT, str(calls), sys.executable, "-c", START, "mcp", "--history", str(path)]
    parent = subprocess.Popen([*command, "--no-cache"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(json.dumps([INITIALIZE, INITIALIZED]).encode() + b"\n")
    parent.stdin.flush()
    server = int(parent.stdout.readline())
    assert alive(server)
    parent.kill()
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    until = time.monotonic() + 30  # a second on a machine that does nothing else
    while alive(server) and time.monotonic() < until:
        time.sleep(0.01)
    ended = not alive(server)
    if not ended:
        os.kill(server, signal.SIGKILL)
    assert ended


# --- T8: no network, no shell ----------------------------------------------------------------------------------


def isolated() -> tuple[str, ...]:
    """The words that start a command without a network; none where this user may not."""
    for words in (("unshare", "-n"), ("unshare", "-rn")):
        if (
            shutil.which("unshare")
            and subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
        ):
            return words
    return ()


def commands(place: str) -> Iterator[tuple[list[str], bytes, Callable[[bytes], bool]]]:
    """Commands, what they read, and whether what they wrote is right."""
    for words in (["sources"], ["search", "lens motor"], ["sessions"]):
        yield [*words, "--json", "--history", place], b"", lambda output: json.loads(output)["ok"]
    calls = [frame(1, "tools/call", {"name": "recall", "arguments": {"query": "lens motor", "match": "fuzzy"}})]
    yield (
        ["mcp", "--history", place],
        b"\n".join([*OPENING, *calls]) + b"\n",
        lambda output: [json.loads(line)["id"] for line in output.splitlines()] == [0, 1],
    )


@pytest.mark.promise("T8")
@pytest.mark.slow
@pytest.mark.skipif(not TRACEABLE, reason="needs strace")
def test_without_a_network_everything_is_answered_and_nobody_is_called(tmp_path: Path) -> None:
    base = tmp_path / "stores"
    write_claude(base / "claude")
    write_history(base / "history.jsonl")
    write_opencode(base / "young")  # just written: a child process copies it
    age(write_opencode(base / "settled"))
    words = isolated()
    for number, (command, data, right) in enumerate(commands(str(base))):
        output, calls = traced(tmp_path / f"trace{number}", command, data, words)
        assert right(output), output
        used = [call for call in calls if re.search(r"\bsocket\(AF_INET|\bconnect\(.*AF_INET", call)]
        assert used == []
        started = [found[1] for call in calls if (found := re.search(r"\bexecve\((.*)", call))]
        own = [call for call in started if call.startswith(f'"{sys.executable}"')]
        assert [call for call in started if call not in own] == []
        assert all("copy_process.py" in call or START in call for call in own), own
        tried(1)


@pytest.mark.promise("T8")
@pytest.mark.skipif(not isolated() or not times(0, 1), reason="the long run does it, where networks can be cut off")
def test_the_suite_passes_without_a_network() -> None:
    words = [*isolated(), sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("RECALL_RANK_")}
    places = ["tests/histories", "tests/loaders", "tests/search", "tests/index", "tests/frontends/tools", "tests/api"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([*words, *places], cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
    tried(int(re.findall(r"(\d+) passed", done.stdout)[-1]))

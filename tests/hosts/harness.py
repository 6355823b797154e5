"""The place where a host is driven: a fresh home and project, its program from a registry, and a list of checks."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from recall_rank.histories.cache.rules import RefreshRules
from recall_rank.histories.stored_backend import stored_state
from recall_rank.model.recalled_text import AUTO_RECALL_TAG, NOTICE, NUDGE_SENTINEL
from recall_rank.recall import stored_recall
from tests.hosts.stub_model import Call, Request, StubModel

CHECKOUT: Final = Path(__file__).resolve().parents[2]
RECALL: Final = (sys.executable, "-m", "recall_rank")
SECONDS: Final = 180.0  # for one run of a host
INDEX_SECONDS: Final = 30.0  # for a refresh in the background
_OURS: Final = """#!{python}
import os, sys
os.environ["PYTHONPATH"] = {checkout!r}
sys.path.insert(0, {checkout!r})
from recall_rank.frontends.cli.start import main
main()
"""
# Gemini CLI stores what hooks add inside of the user's message, which a transcript shows as it is.
_HOOKED: Final = re.compile(r"<hook_context>.*?</hook_context>", re.DOTALL)
_OWN_FOLDERS: Final = (".cache", ".local")  # the index and the records of installs
NAMES: Final = ("recall", "recall_get", "recall_context", "recall_messages", "recall_sessions")

# What is said in the two sessions. The word is one that no host says by itself.
WORD: Final = "amberlatch"
FIRST_QUESTION: Final = f"Which limiter do we take for the uploads? Its name shall be {WORD}."
FIRST_ANSWER: Final = f"We take a token bucket called {WORD} for the uploads, with a burst of 42."
SECOND_QUESTION: Final = f"Limit the uploads with {WORD} as we did last time, please."
LAST_ANSWER: Final = "It is done as before."
CALLS: Final = (
    Call("recall", {"query": WORD}),
    Call("recall", {"query": "uploads", "scope": "session"}),
    Call("recall_messages", {"limit": 5, "role": "user"}),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, whether it is as it should be, and what was seen."""

    name: str
    passed: bool
    seen: str = ""


@dataclass(slots=True)
class Report:
    """What was seen of one host."""

    host: str
    version: str = ""
    checks: list[Check] = field(default_factory=list)
    unreached: str = ""  # why the host could not be driven to the end

    def check(self, name: str, passed: bool, seen: object = "") -> bool:
        """Add a check; return whether it passed."""
        self.checks.append(Check(name, bool(passed), str(seen)))
        return bool(passed)

    @property
    def passed(self) -> bool:
        return not self.unreached and bool(self.checks) and all(each.passed for each in self.checks)


@dataclass(slots=True)
class Workplace:
    """A fresh home, a project with a git repository, and the programs that were installed."""

    folder: Path
    programs: Path
    model: StubModel
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for each in (self.home, self.project, self.ours.parent):
            each.mkdir(parents=True)
        self.ours.write_text(_OURS.format(python=sys.executable, checkout=str(CHECKOUT)), encoding="utf-8")
        self.ours.chmod(0o755)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True, env=self.environment)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def ours(self) -> Path:
        """The program `recall-rank` of this checkout, which a host can start with any environment."""
        return self.folder / "bin" / "recall-rank"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of every program: nothing of the machine but PATH, the language and where this checkout is."""
        known = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return {**known, "HOME": str(self.home), "PYTHONPATH": str(CHECKOUT), **self.variables}

    def npm(self, package: str, command: str) -> Path:
        """Install a package of the npm registry, unless it is there, and return the path of its command."""
        prefix = self.programs / package.replace("/", "+").lstrip("@")
        found = prefix / "node_modules" / ".bin" / command
        if not found.exists():
            prefix.mkdir(parents=True, exist_ok=True)
            named = f"{package}@latest"  # without it npm takes an older one where this Node is too old for the newest
            subprocess.run(
                ["npm", "install", "--prefix", str(prefix), "--no-audit", "--no-fund", named], check=True, timeout=600
            )
        return found

    def run(self, *command: str | Path, check: bool = False) -> subprocess.CompletedProcess[str]:
        """Run a program in the project, with nothing on stdin."""
        return subprocess.run(
            [str(each) for each in command],
            cwd=self.project,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=check,
        )

    def edited_files(self, host: str) -> Mapping[str, str | None]:
        """Install recall-rank into a host, and return the digest before that of each file of the home that this changed
        or made; None where none was there.
        """
        return self._edited_files(self.home, host)

    def edited_project_files(self, host: str) -> Mapping[str, str | None]:
        """Install recall-rank into the project, and return the digests before as edited_files() does."""
        return self._edited_files(self.project, host, "--scope", "project")

    def _edited_files(self, folder: Path, host: str, *options: str) -> Mapping[str, str | None]:
        before = digests(folder)
        self.install(host, *options)
        return {name: before.get(name) for name, digest in digests(folder).items() if before.get(name) != digest}

    def install(self, host: str, *options: str) -> None:
        """Install recall-rank into a host by our own command."""
        self.run(self.ours, "install", host, "--yes", *options, check=True)

    def uninstall(self, host: str, *options: str) -> None:
        """Take recall-rank out of a host by our own command."""
        self.run(self.ours, "uninstall", host, "--yes", *options, check=True)

    def recall(self, *arguments: str) -> Any:
        """Run recall-rank over this home with --json, and return what it says."""
        done = self.run(*RECALL, *arguments, "--json")
        return json.loads(done.stdout)


def digests(folder: Path) -> Mapping[str, str]:
    """Return the relative path of every file below a folder with the digest of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def check_undone(report: Report, workplace: Workplace, host: str) -> None:
    """Install into a home as it is and uninstall again: every file of the home must be as before."""
    before = digests(workplace.home)
    workplace.install(host)
    report.check("install changes the home", digests(workplace.home) != before)
    workplace.uninstall(host)
    after = digests(workplace.home)
    differs = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    report.check("after uninstall the home is byte-identical", not differs, differs)


def check_gone(report: Report, workplace: Workplace, before: Mapping[str, str | None]) -> None:
    """Check that, after sessions and an uninstall, the files of edited_files() are as before, and nothing of ours is
    left but the index.
    """
    after = digests(workplace.home)
    differs = [name for name, digest in before.items() if after.get(name) != digest]
    report.check("after the sessions uninstall undoes every file byte for byte", not differs, differs)
    places = (path.relative_to(workplace.home) for path in workplace.home.rglob("*"))
    left = sorted(str(path) for path in places if "recall" in path.name and path.parts[0] not in _OWN_FOLDERS)
    report.check("nothing of ours is left in the host's folders", not left, left)


def check_without_us(report: Report, talk: Sequence[Request]) -> None:
    """Check that what the model was asked after an uninstall has nothing of ours."""
    offered = [each for request in talk for each in request.offered if any(_is(name, each) for name in NAMES)]
    report.check("after uninstall the host asks its model without our tools", bool(talk) and not offered, offered)
    report.check("after uninstall no hook of ours speaks", not any(NUDGE_SENTINEL in each.text for each in talk))


def check_hooks(report: Report, workplace: Workplace, talk: Sequence[Request]) -> None:
    """Check that the reminder and what auto recall quotes of the first session reached the model with the first request
    of the second one, and that no search finds them as said by anybody.
    """
    if not talk:
        return
    text = html.unescape(talk[0].text)  # Gemini CLI escapes angle brackets in what a hook adds
    report.check("the reminder reached the model", NUDGE_SENTINEL in text, text[-300:])
    _, quoted, rest = text.partition(f"<{AUTO_RECALL_TAG}>")
    report.check("auto recall reached the model with the first request", bool(quoted) and "burst of 42" in rest)
    added = (NUDGE_SENTINEL, "From earlier sessions, quoted")
    found = [each["snippet"] for phrase in added for each in workplace.recall("search", phrase)["results"]]
    said = [each for each in found if any(phrase in each for phrase in added)]
    report.check("what hooks added is not found as said by anybody", not said, said)


def wait_for_index(workplace: Workplace, text: str) -> bool:
    """Wait until the index on disk, which is not refreshed here, holds a text; return whether it does in time."""
    cache = workplace.home / ".cache" / "recall_rank"
    until = time.monotonic() + INDEX_SECONDS
    while time.monotonic() < until:
        state = stored_state(cache, RefreshRules(cache=cache)) if cache.is_dir() else None
        if state is not None and stored_recall(cache, state).search(text).results:
            return True
        time.sleep(0.2)
    return False


def check_resumed(report: Report, talk: Sequence[Request]) -> None:
    """Check that a call without an id, in a process that resumed the second session, is about that session."""
    answers = talk[-1].answers[-1:] if talk else ()
    seen = any(SECOND_QUESTION in each and FIRST_QUESTION not in _HOOKED.sub("", each) for each in answers)
    report.check("a resumed session is the one that asks", seen, answers)


@contextmanager
def without_ours(workplace: Workplace) -> Iterator[None]:
    """Take our program away for a while, as if it were uninstalled while the host still has our entries."""
    away = workplace.ours.with_suffix(".away")
    workplace.ours.rename(away)
    try:
        yield
    finally:
        away.rename(workplace.ours)


def check_project(report: Report, workplace: Workplace, host: str, command: Sequence[str | Path]) -> None:
    """Install into the project instead of the home, and check that the tools are offered there and an uninstall undoes
    it. `command` takes a prompt.
    """
    before = workplace.edited_project_files(host)
    workplace.model.begin(CALLS[0], LAST_ANSWER)
    done = workplace.run(*command, SECOND_QUESTION)
    report.check("installed in a project the session is answered", LAST_ANSWER in done.stdout, done.stderr)
    answers = [answer for each in workplace.model.talk()[-1:] for answer in each.answers]
    report.check("installed in a project the tools answer", any(WORD in each for each in answers), answers)
    workplace.uninstall(host, "--scope", "project")
    after = digests(workplace.project)
    differs = [name for name, digest in before.items() if after.get(name) != digest]
    report.check("uninstall undoes every file of the project byte for byte", not differs, differs)


def check_tools(report: Report, requests: Sequence[Request], *, own_session: bool = True) -> None:
    """Check that our tools were offered, called, and that each answer reached the model's next request.

    `own_session`: whether the host tells its session, so that the calls which name none are answered.
    """
    if not report.check("the model was asked with tools", bool(requests), f"{len(requests)} requests"):
        return
    offered = [name for name in NAMES if any(_is(name, each) for each in requests[-1].offered)]
    report.check("the five tools were offered", len(offered) == len(NAMES), ", ".join(offered) or requests[-1].offered)
    answers = requests[-1].answers
    seen = f"{len(answers)} answers in {len(requests)} requests"
    if not report.check("each of the three calls was answered to the model", len(answers) == len(CALLS), seen):
        return
    searched, own, page = answers
    report.check("the other session was found", "burst of 42" in searched, searched[:300])
    report.check("recalled text is marked as data", NOTICE in searched or "untrusted" in searched, searched[:120])
    if own_session:
        report.check('recall with scope "session" found this session', SECOND_QUESTION in own, own[:300])
        report.check("recall_messages without an id read this session", SECOND_QUESTION in page, page[:300])
        report.check("what was said elsewhere is not in them", FIRST_QUESTION not in _HOOKED.sub("", own + page))


def check_store(report: Report, workplace: Workplace, name: str, expected: Mapping[str, int]) -> None:
    """Check that our loader reads the store that the host wrote: exact counts, and no malformed record."""
    found = workplace.recall("sources", "--history", name)
    sources = [each for each in found["sources"] if each["agent"] == name]
    if not report.check("the host's store is found", len(sources) == 1, json.dumps(found)[:300]):
        return
    source = sources[0]
    counts = {key: source.get(key) for key in expected}
    report.check(
        "the store is read with exact counts", counts == dict(expected), f"{counts}, expected {dict(expected)}"
    )
    trouble = {key: source.get(key) for key in ("malformed", "failed", "errors", "warnings") if source.get(key)}
    report.check("no record is malformed or unknown", not trouble, trouble or "none")


def _is(name: str, offered: str) -> bool:
    return offered == name or (offered.endswith(name) and offered[-len(name) - 1] in "_-./")


def markdown(reports: Sequence[Report], day: str) -> str:
    """Return the report as a page."""
    lines = [
        "# Tested against the real hosts",
        "",
        f"Made by `python -m tests.hosts` on {day}: each program was installed from its registry into a temporary",
        "folder, set up in a fresh home by `recall-rank install`, and driven headless through sessions against a stub",
        "model on loopback that speaks its API.",
    ]
    for report in reports:
        lines += ["", f"## {report.host} {report.version}".rstrip(), "", "| check | | seen |", "| --- | --- | --- |"]
        for each in report.checks:
            seen = "" if each.passed else " ".join(each.seen.split()).replace("|", "\\|")[:200]
            lines.append(f"| {each.name} | {'yes' if each.passed else '**no**'} | {seen} |")
        if report.unreached:
            lines += ["", f"Not driven to the end: {report.unreached}"]
    return "\n".join(lines) + "\n"

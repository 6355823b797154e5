"""Damaged JSON documents: whole elements are kept, and broken ones are counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall_rank.loaders import open_source, open_sources, read_all
from recall_rank.model import Part, SourceReport
from tests.fixtures import make_chat_stores, make_gemini, make_opencode_json

HUGE = "huge " * 700_000 + "last heron"
Document = dict[str, Any]


@dataclass(frozen=True)
class Format:
    """Documents of one agent."""

    write: Callable[[Path], Path]  # a store in this folder; what is opened
    grows: str  # a document in it, as a pattern
    said: Callable[[Document, str], None]  # puts words into it
    unknown: Callable[[Document], None]  # and something of a type that does not exist
    messages: str | None = "messages"  # where a torn one keeps what stands before the tear
    spilled: str | None = None  # what a document refers to, as a pattern
    newer: tuple[str, str] | None = None  # a file that says the version, and what it then says


def _gemini(document: Document, words: str) -> None:
    key = f"x{len(document['messages'])}"
    document["messages"].append({"id": key, "timestamp": make_gemini.when(9), "type": "user", "content": words})


def _gemini_unknown(document: Document) -> None:
    document["messages"].append({"id": "odd", "timestamp": make_gemini.when(9), "type": "hologram", "content": "new"})


def _praison(document: Document, words: str) -> None:
    document["messages"].append({"role": "user", "content": words, "timestamp": 1_780_000_900.0})


def _praison_unknown(document: Document) -> None:
    document["messages"].append({"role": "hologram", "content": [{"type": "hologram", "text": "of a newer version"}]})
    document["hologram"] = {"version": 99}


def _export(document: Document, words: str, kind: str = "text") -> None:
    key = f"msg_x{len(document['messages'])}"
    part = {"id": f"prt_{key}", "messageID": key, "type": kind, "text": words}
    document["messages"].append({"info": {"id": key, "role": "user", "time": {"created": 1}}, "parts": [part]})


def _part(document: Document, words: str) -> None:
    document["text"] = words


def _tree(folder: Path) -> Path:
    """Write a storage folder with one part that a test may change."""
    storage = make_opencode_json.write_tree(folder)
    part = {"id": "prt_zz", "sessionID": "ses_a", "messageID": "msg_06", "type": "text"}
    make_opencode_json.write(storage / "part" / "msg_06" / "prt_zz.json", part)
    return storage


def _exported(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "export.json"
    make_opencode_json.write(path, make_opencode_json.exported())
    (folder / "tool-output").mkdir()
    (folder / "tool-output" / "tool_big1").write_text("tick")
    return path


FORMATS = {
    "gemini-cli": Format(make_gemini.write_gemini, "**/session-*.json", _gemini, _gemini_unknown),
    "praisonai": Format(
        lambda home: make_chat_stores.write_praison(home) / "sessions", "*.json", _praison, _praison_unknown
    ),
    "opencode-export": Format(
        _exported,
        "export.json",
        _export,
        lambda document: _export(document, "of a newer version", "hologram"),
        spilled="tool-output/*",
    ),
    "opencode-json": Format(
        _tree,
        "part/msg_06/prt_zz.json",
        _part,
        lambda document: document.update(type="hologram", text="of a newer version"),
        None,
        "../tool-output/*",
        ("migration", "99"),
    ),
}


class Store:
    def __init__(self, form: Format, folder: Path) -> None:
        self.form = form
        self.where = form.write(folder / "store")
        self.root = self.where if self.where.is_dir() else self.where.parent
        self.file = min(
            path for path in self.root.glob(form.grows) if '"session' in path.read_text() or path == self.where
        )
        self.document: Document = json.loads(self.file.read_bytes())
        self.before, self.report = self.read()

    def read(self) -> tuple[dict[str, Part], SourceReport]:
        sessions, (report,) = read_all([open_source(self.where)])
        assert not report.errors
        return {f"{s.id} {m.id} {p.id}": p for s in sessions for m in s.messages for p in m.parts}, report

    def write(self, change: Callable[[bytes], bytes] = bytes) -> None:
        self.file.write_bytes(change(json.dumps(self.document, indent=2).encode()))

    def new(self) -> tuple[list[str | None], SourceReport]:
        """The words that are new; none of the earlier ones may be gone."""
        now, report = self.read()
        assert self.before.keys() <= now.keys()
        assert report.malformed == self.report.malformed
        return [part.text for key, part in now.items() if part != self.before.get(key)], report


@pytest.fixture(params=FORMATS)
def form(request: pytest.FixtureRequest) -> Format:
    return FORMATS[request.param]


@pytest.fixture
def store(form: Format, tmp_path: Path) -> Store:
    return Store(form, tmp_path)


def having(name: str) -> pytest.MarkDecorator:
    """The formats that have the given feature."""
    known = [key for key, form in FORMATS.items() if getattr(form, name) is not None]
    return pytest.mark.parametrize("form", known, indirect=True)


def test_normal(store: Store) -> None:
    assert store.before
    store.form.said(store.document, "a new word: petrel")
    store.write()
    assert store.new()[0] == ["a new word: petrel"]


def test_empty(store: Store) -> None:
    store.file.write_bytes(b"")
    if store.file == store.where:  # nothing tells any more what it was
        assert open_sources(store.where) == []
        return
    now, report = store.read()
    assert now.keys() <= store.before.keys()
    assert len(report.malformed) - len(store.report.malformed) in {0, 1}  # no document at all


def test_a_torn_end(store: Store) -> None:
    store.form.said(store.document, "torn: walrus")
    store.write(lambda raw: raw[: raw.index(b"torn: walrus") + 4])
    now, report = store.read()
    assert store.before.keys() - now.keys() <= {key for key in store.before if "zz" in key}
    assert not any("torn" in (part.text or "") for part in now.values())
    (bad,) = set(report.malformed) - set(store.report.malformed)
    assert Path(bad.location).name == store.file.name


@having("messages")
def test_broken_elements_among_good_ones(store: Store) -> None:
    for number in range(4):
        store.form.said(store.document, f"good {number}")
        store.document["messages"] += [7, ["no message"]]
    store.write()
    now, report = store.read()
    found = [str(part.text) for key, part in now.items() if key not in store.before]
    assert sorted(found) == [f"good {number}" for number in range(4)]
    assert len(report.malformed) - len(store.report.malformed) == 8


def test_an_unknown_type(store: Store) -> None:
    store.form.unknown(store.document)
    if store.form.messages:
        store.form.said(store.document, "behind it")
    store.write()
    words, report = store.new()
    assert words
    assert report.malformed == store.report.malformed
    assert len(set(report.warnings) - set(store.report.warnings)) <= 1


def test_a_huge_record(store: Store) -> None:
    store.form.said(store.document, HUGE)
    store.write()
    assert store.new()[0] == [HUGE]


def test_an_element_over_the_limit_is_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "element=1M")
    for words in ("before it", HUGE, "behind it")[0 if store.form.messages else 1 :: 1 if store.form.messages else 3]:
        store.form.said(store.document, words)
    store.write()
    now, report = store.read()
    assert store.before.keys() - now.keys() <= {key for key in store.before if "zz" in key}
    found = [str(part.text) for key, part in now.items() if key not in store.before]
    assert sorted(found) == (["before it", "behind it"] if store.form.messages else [])
    (bad,) = set(report.malformed) - set(store.report.malformed)
    assert Path(bad.location).name == store.file.name
    assert "1 MiB" in bad.reason


@having("messages")
@pytest.mark.parametrize("torn", [True, False])
def test_a_head_over_the_limit_hides_no_element(store: Store, monkeypatch: pytest.MonkeyPatch, torn: bool) -> None:
    monkeypatch.setenv("RECALL_RANK_LIMITS", "element=1M")
    store.form.said(store.document, "before it")
    store.document["behind"] = HUGE
    store.write(lambda raw: raw[: -(1 << 20)] if torn else raw)
    now, report = store.read()
    assert store.before.keys() <= now.keys()
    assert "before it" in [part.text for part in now.values()]
    (bad,) = set(report.malformed) - set(store.report.malformed)
    assert bad.reason == "more than 1 MiB that are no element of messages: not read"


@pytest.mark.parametrize(
    ("odd", "read"), [(b"caf\xe9.", "caf\ufffd."), (b"\\ud83d.", "\ufffd."), (b"\xe2\x80\xa8\\u2028.", "\u2028\u2028.")]
)
def test_wrong_encoding_and_lone_surrogates(store: Store, odd: bytes, read: str) -> None:
    store.form.said(store.document, "odd @@")
    store.write(lambda raw: raw.replace(b"@@", odd))
    assert store.new()[0] == [f"odd {read}"]


@having("spilled")
def test_a_missing_external_output_is_told(store: Store) -> None:
    (spilled,) = store.root.glob(str(store.form.spilled))
    spilled.unlink()
    now, report = store.read()
    assert now.keys() == store.before.keys()
    assert now != store.before  # a preview is left
    assert len(set(report.warnings) - set(store.report.warnings)) == 1


@having("newer")
def test_a_newer_version(store: Store) -> None:
    assert store.form.newer is not None
    name, version = store.form.newer
    (store.root / name).write_text(version)
    now, report = store.read()
    assert now == store.before
    (warning,) = set(report.warnings) - set(store.report.warnings)
    assert f"version {version}" in warning

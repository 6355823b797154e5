"""What `install` puts into the configuration of a host, `uninstall` takes out again, byte for byte."""

from __future__ import annotations

import json
import time
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall_rank.frontends.compaction.edits import SESSION_START_SECONDS
from recall_rank.frontends.file_edits import project_files
from recall_rank.frontends.file_edits.json_edits import checked_object
from recall_rank.frontends.file_edits.project_files import LONG, Change, EditError, ProjectFile, diff_lines
from recall_rank.frontends.hosts.config_entries import (
    PLUGIN_ENTRY,
    ConfigSyntax,
    entry_of,
    with_entry,
    without_entry,
)
from recall_rank.frontends.hosts.events.host_hooks import SECONDS
from recall_rank.frontends.hosts.every_host import HOSTS
from recall_rank.frontends.hosts.file_parts import command_of, is_our_entry
from recall_rank.frontends.hosts.host import ENTRY, JSON, TOML, YAML, Host, HostPlace, Launch
from recall_rank.frontends.hosts.install import (
    install,
    install_state,
    plan_install,
    plan_uninstall,
    uninstall,
)
from recall_rank.frontends.hosts.install_records import remove_install

LAUNCH = Launch(("/opt/böat/recall-rank",), ("recall", "session_search"))
OTHER = Launch(("/usr/bin/python3", "-m", "recall_rank"), ("recall", "session_search"))
PLACES = [(name, scope) for name in HOSTS for scope in ("user", "project") if (name, scope) != ("hermes", "project")]
WITH_HOOKS = [
    (name, scope)
    for name, scope in PLACES
    if (place := HOSTS[name].place(scope, {}, Path("/home/ana"), Path("/srv/quay"))) is not None and place.hooks
]
COMMENTS = st.sampled_from(["", " // a, }] note", " /* { a */", " /* a\n */"])
HOOKS_OF_OTHERS = '{"hooks": {"SessionStart": [\n\t{"hooks": [{"type": "command", "command": "x"}]}\n]}}'
LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / "work").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def place_of(home: Path, name: str, scope: str) -> tuple[Host, HostPlace]:
    place = HOSTS[name].place(scope, {}, home, home / "work")
    assert place is not None
    return HOSTS[name], place


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def put_in(host: Host, place: HostPlace, launch: Launch = LAUNCH) -> None:
    install(plan_install(host, place, launch, "1.0"))


@st.composite
def jsonc(draw: st.DrawFn, keys: tuple[str, ...]) -> str:
    """An object as people write it: comments, a comma behind the last member, any line ends, one line or several."""
    end = draw(st.sampled_from(["\n", "\r\n"]))
    between = draw(st.sampled_from([end + "\t", end + "    ", ""]))

    def written(members: dict[str, str], depth: int) -> str:
        lead = between + "  " * depth if between else " "
        comments = [draw(COMMENTS) for _ in members]
        comma = "," if members and draw(st.booleans()) else ""
        if not between:
            comments = [each.replace("//", "/*") + "*/" if "//" in each else each for each in comments]
        told = (
            [
                f"{lead}{json.dumps(key, ensure_ascii=False)}: {value}{comma if last else ','}{comment}"
                for (key, value), comment, last in zip(
                    members.items(), comments, [*[False] * (len(members) - 1), True][-len(members) :], strict=True
                )
            ]
            if members
            else [draw(COMMENTS).replace("//", "/*").rstrip() + ("*/" if members else "")]
        )
        told = [each if "/*" not in each or "*/" in each else each + "*/" for each in told]
        return "{" + "".join(told) + (end if between else "") + "}"

    inner = {
        key: json.dumps(value) for key, value in draw(st.dictionaries(st.text(max_size=3), LEAVES, max_size=2)).items()
    }
    members = {
        key: json.dumps(value) for key, value in draw(st.dictionaries(st.text(max_size=3), LEAVES, max_size=3)).items()
    }
    if draw(st.booleans()):
        members[keys[0]] = written(inner, 1)
    return written(members, 0) + draw(st.sampled_from(["", end, " // end"]))


TOML_TEXT = st.lists(
    st.sampled_from(
        ["# note", "", 'model = "x"  # why', "[a.b]", "k = [1,\n 2]", "[mcp_servers.other]\ncommand = 'x'"]
    ),
    unique=True,
    max_size=5,
)
YAML_TEXT = st.lists(
    st.sampled_from(
        [
            "# note",
            "",
            "model: x # why",
            "list:\n- a\n- b: 1",
            "text: |\n  plugins:\n    enabled:\n    - recall_rank",
            "a:\n  b:\n    c: 1",
        ]
    ),
    unique=True,
    max_size=5,
)
SECTION = st.sampled_from(
    [
        "",
        "plugins:",
        "plugins: {} # none",
        "plugins: # those\n    entries:\n      a:\n        - recall_rank\n      b: 1",
        "plugins:\n # c\n enabled:\n disabled:\n - recall_rank",
        "plugins:\n  disabled: [recall_rank]\n  enabled: [] # none",
        "plugins:\n  enabled: [ disk-cleanup, 'a/b' ]\n  disabled: []",
        "plugins:\n  enabled:\n  - disk-cleanup\n  # c\n  - a/b # d\n  disabled: []",
        "plugins:\n  x: |\n    enabled:\n    - a\n  enabled:\n      - disk-cleanup",
    ]
)
PLUGINS = ("plugins", "enabled")


def encodings(draw: st.DrawFn, text: str) -> bytes:
    text = text.replace("\r\n", "\n").replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_json_is_as_before(data: st.DataObject) -> None:
    where = ConfigSyntax(JSON, ("mcpServers",), "x.json")
    before = encodings(data.draw, data.draw(jsonc(where.path)))
    value = checked_object(before.decode("utf-8-sig"), comments=True)[1]
    after, made = with_entry(before, {"command": "é", "args": ["mcp"]}, where)
    now = checked_object(after.decode("utf-8-sig"), comments=True)[1]
    assert now == {**value, "mcpServers": {**value.get("mcpServers", {}), "recall": {"command": "é", "args": ["mcp"]}}}
    assert without_entry(after, where, made) == before


encodings_of = st.composite(lambda draw, text: encodings(draw, draw(text)))


@settings(max_examples=60, deadline=None)
@given(encodings_of(TOML_TEXT.map(lambda lines: "\n".join(sorted(lines, key=lambda each: "[" in each[:1])))))
def test_any_toml_is_as_before(before: bytes) -> None:
    if before.startswith(b"\xef\xbb\xbf"):
        before = before[3:]  # Codex does not read one
    where = ConfigSyntax(TOML, ("mcp_servers",), "x.toml")
    after, made = with_entry(before, {"command": 'a"\\b', "required": True}, where)
    now = tomllib.loads(after.decode())
    assert now["mcp_servers"].pop("recall") == {"command": 'a"\\b', "required": True}
    assert without_entry(after, where, made) == before
    assert without_entry(after, where, None) == before


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_yaml_is_as_before(data: st.DataObject) -> None:
    where = ConfigSyntax(YAML, PLUGINS, "x.yaml")
    lines = data.draw(YAML_TEXT)
    section = data.draw(SECTION)
    lines.insert(data.draw(st.integers(0, len(lines))), section)
    before = encodings(data.draw, "\n".join(lines) + data.draw(st.sampled_from(["", "\n"])))
    assert entry_of(before, where) is None
    after, made = with_entry(before, PLUGIN_ENTRY, where)
    assert entry_of(after, where) == PLUGIN_ENTRY
    assert without_entry(after, where, made) == before
    yaml = pytest.importorskip("yaml")
    old, new = (yaml.safe_load(each.decode("utf-8-sig")) or {} for each in (before, after))
    of_old, of_new = old.pop("plugins", None) or {}, new.pop("plugins")
    assert sorted(of_new.pop("enabled")) == sorted([*(of_old.pop("enabled", None) or ()), "recall_rank"])
    assert (of_new, new) == (of_old, old)


@pytest.mark.parametrize("style", ["|", ">", "|+", "|-"])
def test_a_block_scalar_at_the_end_of_yaml_keeps_its_value(style: str) -> None:
    yaml = pytest.importorskip("yaml")
    where = ConfigSyntax(YAML, PLUGINS, "x.yaml")
    before = f"---\na: 1\ntext: {style}\n  last line".encode()
    after, made = with_entry(before, PLUGIN_ENTRY, where)
    assert yaml.safe_load(after) == {**yaml.safe_load(before), "plugins": {"enabled": ["recall_rank"]}}
    assert without_entry(after, where, made) == before


def test_the_item_goes_also_where_the_host_wrote_its_yaml_anew() -> None:
    """Hermes writes its file without comments, and so without our marks, when a setting is changed in it."""
    where = ConfigSyntax(YAML, PLUGINS, "x.yaml")
    data = b"plugins:\n  enabled:\n  - a\n  - recall_rank\n  - b\nx: 1\n"
    assert entry_of(data, where) == PLUGIN_ENTRY
    assert without_entry(data, where, ()) == b"plugins:\n  enabled:\n  - a\n  - b\nx: 1\n"


@pytest.mark.parametrize(("name", "scope"), PLACES)
@pytest.mark.parametrize("there", [True, False], ids=["file", "no file"])
def test_uninstall_undoes_install(home: Path, name: str, scope: str, there: bool) -> None:
    host, place = place_of(home, name, scope)
    texts = {
        JSON: '{\r\n  // mine\r\n  "a": [1,], "b": {}, // b\r\n}',
        TOML: "a = 1 # c\n[x]",
        YAML: "a: 1\nb:\n  c: 2",
    }
    if there:
        for each in place.config[-1:]:
            (place.folder / each).parent.mkdir(parents=True, exist_ok=True)
            (place.folder / each).write_bytes(texts[host.syntax].encode())
        if place.hooks and place.hooks not in place.config:
            (place.folder / place.hooks).parent.mkdir(parents=True, exist_ok=True)
            (place.folder / place.hooks).write_text(HOOKS_OF_OTHERS)
    before = tree(home)
    put_in(host, place)
    assert tree(home) != before
    assert install_state(host, place).is_there
    assert plan_install(host, place, LAUNCH, "1.0").changes == ()
    put_in(host, place, OTHER)  # another version of the program
    assert install_state(host, place).record.program == OTHER.program  # type: ignore[union-attr]
    assert uninstall(plan_uninstall(host, place))
    assert tree(home) == before
    assert not uninstall(plan_uninstall(host, place))


@pytest.mark.parametrize(("name", "scope"), WITH_HOOKS)
def test_hooks_are_put_beside_those_of_others_and_can_be_left_out(home: Path, name: str, scope: str) -> None:
    host, place = place_of(home, name, scope)
    file = place.folder / place.hooks
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(HOOKS_OF_OTHERS)
    before = tree(home)
    put_in(host, place)
    hooks = checked_object(file.read_text(), comments=True)[1]["hooks"]
    assert set(hooks) == {*host.hooks, "SessionStart"}
    for event, limit in host.hooks.items():
        command = f"'/opt/böat/recall-rank' hook {name} {event} || true"
        assert hooks[event][-1] == {"hooks": [{"type": "command", "command": command, "timeout": limit}]}
    assert hooks["SessionStart"][0]["hooks"][0]["command"] == "x"
    install(plan_install(host, place, LAUNCH, "1.0", hooks=False))
    assert "böat" not in file.read_text() if place.hooks not in place.config else "hook " not in file.read_text()
    put_in(host, place, OTHER)
    assert f"-m recall_rank hook {name}" in file.read_text()
    uninstall(plan_uninstall(host, place))
    assert tree(home) == before


def test_an_entry_that_was_there_stays_once(home: Path) -> None:
    host, place = place_of(home, "codex", "user")
    install(plan_install(host, place, LAUNCH, "1.0", hooks=False))
    remove_install("codex", str(home))
    before = tree(home)
    put_in(host, place)
    assert (home / ".codex/hooks.json").exists()
    plan = plan_uninstall(host, place)
    uninstall(plan)
    assert "uninstall again removes it" in plan.remarks[0]
    assert tree(home) == before
    assert uninstall(plan_uninstall(host, place))
    assert not list(home.rglob("*.toml"))


def test_a_recorded_configuration_is_edited_where_another_appears(home: Path) -> None:
    host, place = place_of(home, "opencode", "project")
    (place.folder / "opencode.json").write_text('{"a": 1}')
    put_in(host, place)
    (place.folder / "opencode.jsonc").write_text("{}")
    put_in(host, place, OTHER)
    assert (place.folder / "opencode.jsonc").read_text() == "{}"
    assert json.loads((place.folder / "opencode.json").read_text())["mcp"]
    uninstall(plan_uninstall(host, place))
    assert (place.folder / "opencode.json").read_text() == '{"a": 1}'


@pytest.mark.parametrize(("name", "scope"), PLACES)
def test_without_the_record_what_is_ours_goes(home: Path, name: str, scope: str) -> None:
    host, place = place_of(home, name, scope)
    put_in(host, place)
    remove_install(name, str(place.folder))
    uninstall(plan_uninstall(host, place))
    assert not [path for path in home.rglob("*") if path.is_file()]
    assert not install_state(host, place).is_there


@pytest.mark.parametrize("name", [name for name in HOSTS if HOSTS[name].entry(LAUNCH) is not None])
def test_what_others_changed_meanwhile_stays(home: Path, name: str) -> None:
    host, place = place_of(home, name, "user")
    path = place.folder / place.config[-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    first, more = {JSON: ("{\n}\n", '{\n  "later": 1,'), TOML: ("", "later = 1\n"), YAML: ("", "later: 1\n")}[
        host.syntax
    ]
    path.write_text(first)
    put_in(host, place)
    path.write_text(more + path.read_text().removeprefix("{" if host.syntax == JSON else ""))
    plan = plan_uninstall(host, place)
    uninstall(plan)
    assert any("only what is ours is taken out" in remark for remark in plan.remarks)
    assert path.read_text().split() == ((more + first.removeprefix("{")) if first else more).replace("1,", "1").split()


def test_an_error_leaves_everything_as_it_was(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    host, place = place_of(home, "opencode", "user")
    before = tree(home.parent)
    done = 0

    def failing(self: Path, target: Path) -> Path:
        nonlocal done
        done += 1
        if done == 2 and self.suffix == ".tmp":
            raise OSError(28, "No space left on device")
        return original(self, target)

    original = Path.replace
    monkeypatch.setattr(project_files.Path, "replace", failing)
    with pytest.raises(OSError, match="No space"):
        put_in(host, place)
    monkeypatch.undo()
    left = {name: data for name, data in tree(home.parent).items() if not name.startswith("state")}
    assert left == before
    assert install_state(host, place).record is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gemini", "{"),
        ("gemini", "[]"),
        ("gemini", '{"mcpServers": 1}'),
        ("gemini", '{"mcpServers": {"recall": {"command": "other"}}}'),
        ("gemini", "{ /* "),
        ("codex", "a ="),
        ("codex", "mcp_servers = {}"),
        ("codex", "[mcp_servers.recall]\ncommand = 'x'"),
        ("hermes", "{a: 1}"),
        ("hermes", "plugins: {enabled: []}"),
        ("hermes", "plugins:\n- a"),
        ("hermes", "plugins:\n  enabled: {a: 1}"),
        ("hermes", "plugins:\n  enabled: [a,\n  b]"),
        ("hermes", "plugins:\n  enabled:\n    a: 1\n"),
        ("hermes", "plugins:\n  enabled: []\n  enabled: []\n"),
        ("hermes", "plugins:\n  enabled: []\nplugins:\n"),
        ("hermes", 'a: "b\nplugins:\n  x: 1"'),
        ("hermes", "a: 1\n..."),
        ("hermes", "# >>> recall-rank install\na: 1"),
    ],
)
def test_what_is_not_understood_is_refused(home: Path, name: str, text: str) -> None:
    host, place = place_of(home, name, "user")
    path = place.folder / place.config[-1]
    path.parent.mkdir(parents=True)
    path.write_text(text)
    before = tree(home)
    with pytest.raises(EditError):
        plan_install(host, place, LAUNCH, "1.0")
    assert tree(home) == before


JSON_PLACES = [
    (name, scope, keys)
    for name, scope in PLACES
    if HOSTS[name].syntax == JSON and HOSTS[name].entry(LAUNCH) is not None
    for keys in [(*HOSTS[name].path, ENTRY)[:depth] for depth in range(1, len(HOSTS[name].path) + 2)]
]


@pytest.mark.parametrize("value", [None, [], "text", 0, True, [{}]], ids=repr)
@pytest.mark.parametrize(("name", "scope", "keys"), JSON_PLACES)
def test_a_value_in_place_of_an_object_is_refused(
    home: Path, name: str, scope: str, keys: tuple[str, ...], value: object
) -> None:
    host, place = place_of(home, name, scope)
    path = place.folder / place.config[-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    settings_: object = value
    for key in reversed(keys):
        settings_ = {key: settings_}
    path.write_text(json.dumps(settings_), encoding="utf-8")
    before = tree(home)
    with pytest.raises(EditError, match="is not of the form that the host knows"):
        plan_install(host, place, LAUNCH, "1.0")
    state = install_state(host, place)
    assert state.entry is None
    if value is None:
        assert plan_uninstall(host, place).changes == ()
    assert tree(home) == before


@pytest.mark.parametrize("value", ["0", "[]", "''"])
@pytest.mark.parametrize("key", ["mcp_servers", "mcp_servers.recall"])
def test_a_value_in_place_of_a_table_is_refused(home: Path, key: str, value: str) -> None:
    host, place = place_of(home, "codex", "user")
    path = place.folder / place.config[-1]
    path.parent.mkdir(parents=True)
    path.write_text(f"{key} = {value}\n", encoding="utf-8")
    with pytest.raises(EditError, match="is not of the form that the host knows"):
        plan_install(host, place, LAUNCH, "1.0")


@pytest.mark.parametrize("value", [None, [], "text", 0, {"%": None}, {"%": "text"}, {"%": 0}, {"%": {}}], ids=repr)
@pytest.mark.parametrize(("name", "scope"), WITH_HOOKS)
def test_any_other_value_in_place_of_hooks_is_refused(home: Path, name: str, scope: str, value: object) -> None:
    host, place = place_of(home, name, scope)
    path = place.folder / place.hooks
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"hooks": value}).replace("%", next(iter(host.hooks))), encoding="utf-8")
    before = tree(home)
    with pytest.raises(EditError, match="hooks"):
        plan_install(host, place, LAUNCH, "1.0")
    assert plan_uninstall(host, place).changes == ()
    assert tree(home) == before


@pytest.mark.parametrize("value", ["null", "[]", "''", "0", "~"])
@pytest.mark.parametrize("key", ["plugins", "plugins:\n  enabled"])
def test_yaml_with_another_value_is_refused_or_undone(home: Path, key: str, value: str) -> None:
    host, place = place_of(home, "hermes", "user")
    path = place.folder / place.config[-1]
    path.parent.mkdir(parents=True)
    path.write_text(f"{key}: {value}\n", encoding="utf-8")
    before = tree(home)
    try:
        plan = plan_install(host, place, LAUNCH, "1.0")
    except EditError:
        assert tree(home) == before
        return
    install(plan)
    uninstall(plan_uninstall(host, place))
    assert path.read_text(encoding="utf-8") == f"{key}: {value}\n"


@pytest.mark.parametrize("indent", [None, 1], ids=["one line", "lines"])
@pytest.mark.parametrize(("name", "scope"), [each for each in PLACES if HOSTS[each[0]].syntax == JSON])
def test_the_time_of_an_install_grows_with_the_file(
    home: Path, name: str, scope: str, indent: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is read a bounded number of times, however large it is: parsing is what takes the time."""
    host, place = place_of(home, name, scope)
    parsed = 0
    loads = json.loads

    def counted(text: str | bytes, **more: Any) -> Any:
        nonlocal parsed
        parsed += len(text)
        return loads(text, **more)

    for file in filter(None, (*place.config[-1:], place.hooks)):
        path = place.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        state = {"kept": [{"url": "a//b", "n": n} for n in range(20_000)]}
        path.write_text(json.dumps(state, indent=indent), encoding="utf-8")
    size = sum(path.stat().st_size for path in home.rglob("*.json"))
    monkeypatch.setattr(json, "loads", counted)
    started = time.process_time()
    plan = plan_install(host, place, LAUNCH, "1.0")
    lines = list(diff_lines([change for change in plan.changes if change.file.data is not None]))
    assert time.process_time() - started < 3 + size / 1e6
    assert parsed <= 20 * size
    assert max(map(len, lines), default=0) <= 2 * LONG


def test_a_link_that_leads_outside_is_refused(home: Path, tmp_path: Path) -> None:
    host, place = place_of(home, "cursor", "project")
    (tmp_path / "secret.json").write_text("{}")
    (place.folder / ".cursor").mkdir()
    (place.folder / ".cursor" / "mcp.json").symlink_to(tmp_path / "secret.json")
    with pytest.raises(EditError, match="leads out of"):
        plan_install(host, place, LAUNCH, "1.0")
    assert (tmp_path / "secret.json").read_text() == "{}"


def test_hooks_that_no_install_wrote_are_refused_where_they_differ(home: Path) -> None:
    host, place = place_of(home, "codex", "user")
    group = {"hooks": [{"type": "command", "command": "recall-rank hook codex SessionStart || true"}]}
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(json.dumps({"hooks": {"SessionStart": [group]}}))
    with pytest.raises(EditError, match="install did not write it"):
        plan_install(host, place, LAUNCH, "1.0")
    uninstall(plan_uninstall(host, place))
    put_in(host, place)


@pytest.mark.parametrize("text", ["[]", "{", '{"hooks": 1}', '{"hooks": {"SessionStart": 1}}'])
def test_hooks_of_another_form_are_refused(home: Path, text: str) -> None:
    host, place = place_of(home, "codex", "user")
    (home / ".codex").mkdir()
    (home / ".codex/hooks.json").write_text(text)
    before = tree(home)
    with pytest.raises(EditError, match="hooks"):
        plan_install(host, place, LAUNCH, "1.0")
    assert tree(home) == before


def test_a_file_of_others_is_not_written_over(home: Path) -> None:
    host, place = place_of(home, "pi", "user")
    path = home / ".pi/agent/extensions/recall-rank.ts"
    path.parent.mkdir(parents=True)
    path.write_text("export default 1")
    with pytest.raises(EditError, match="did not write it"):
        plan_install(host, place, LAUNCH, "1.0")
    assert plan_uninstall(host, place).changes == ()


def test_an_entry_of_ours_is_known_wherever_the_program_lies() -> None:
    entries: list[tuple[dict[str, Any], bool]] = [
        ({"command": "/a/recall-rank", "args": ["mcp"]}, True),
        ({"command": ["python", "-m", "recall_rank", "mcp", "--tools", "recall"]}, True),
        ({"command": ["python", "-P", "-m", "recall_rank", "mcp"]}, True),
        ({"command": "npx", "args": ["mcp"]}, False),
        ({"command": 1, "args": "mcp"}, False),
    ]
    assert [is_our_entry(entry) for entry, _ in entries] == [ours for _, ours in entries]
    assert command_of(entries[0][0]) == ("/a/recall-rank", "mcp")


def test_no_hook_makes_a_session_wait_for_long() -> None:
    """Only what a model summarises before a compaction takes longer."""
    limits = {(name, event): limit for name in HOSTS for event, limit in HOSTS[name].hooks.items()}
    shipped = [each.written(LAUNCH, True) for name in HOSTS for each in HOSTS[name].files if each.written is not None]
    limits |= {("copilot", str(each)): each["timeoutSec"] for each in _handlers(shipped)}
    plugin_hooks = files("recall_rank.frontends.hosts") / "files/claude_code/hooks/hooks.json"
    plugin = json.loads(plugin_hooks.read_text("utf-8"))
    limits |= {("plugin", event): group["hooks"][0]["timeout"] for event, (group,) in plugin["hooks"].items()}
    limits["compact", "SessionStart"] = SESSION_START_SECONDS
    assert len(limits) > 12
    for (name, event), limit in limits.items():
        assert (limit / 1000 if name == "gemini" else limit) <= 5 or event == "PreCompact", (name, event)
    assert all(limit < 5 for limit in SECONDS.values())


def _handlers(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and "timeoutSec" in value:
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _handlers(each)


def test_a_diff_shows_the_lines_that_changed(tmp_path: Path) -> None:
    """The numbers of lines are those of the whole files, also where equal lines at the ends are not compared."""
    before = [f"line {n}\n" for n in range(1, 101)]
    after = [*before[:49], "new\n", *before[50:]]
    file = ProjectFile("a", tmp_path / "a", "".join(before).encode())
    assert list(diff_lines([Change(file, "".join(after).encode())])) == [
        *("--- a/a", "+++ b/a", "@@ -47,7 +47,7 @@", " line 47", " line 48", " line 49"),
        *("-line 50", "+new", " line 51", " line 52", " line 53"),
    ]


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_a_diff_makes_one_text_of_the_other(before: list[str], after: list[str]) -> None:
    one, other = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    shown = list(diff_lines([Change(ProjectFile("a", Path("a"), one.encode()), other.encode())]))
    patched: list[str] = []
    at = 0  # lines of `before` that were taken
    for line in shown[2:]:
        if line.startswith("@@"):
            start, _, count = line.split()[1][1:].partition(",")
            first = int(start) - (count != "0")
            patched += before[at:first]
            at = first
        elif line[0] in " -":
            assert before[at] == line[1:]
            at += 1
        if line[0] in " +":
            patched.append(line[1:])
    assert [*patched, *before[at:]] == after

"""The planted faults fit the code, and their runner tells which of them a test catches."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.faults.__main__ import HERE, chosen, run
from tests.faults.kernels import dependents, is_native
from tests.faults.patches import GROUPS, Hunk, Patch, PatchError, read_all, read_patch

ROOT = Path(__file__).resolve().parents[2]
PATCHES = read_all(HERE)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.name)
def test_every_fault_fits_the_code_and_names_a_test(patch: Patch) -> None:
    for path, text in patch.texts(ROOT).items():
        assert text != path.read_text(encoding="utf-8")
    native = [file for file in patch.files if is_native(file)]
    assert not native or dependents(ROOT, native)
    file, _, test = patch.test.partition(" -k ")[0].partition("::")
    assert not test or f"def {test.partition('[')[0]}(" in (ROOT / file).read_text(encoding="utf-8")


def test_every_patch_is_in_a_group() -> None:
    assert sorted(path.relative_to(HERE).parts[0] for path in HERE.rglob("*.patch")) == sorted(
        patch.group for patch in PATCHES
    )
    assert {patch.group for patch in PATCHES} == set(GROUPS)


# --- the runner on a checkout of one module -------------------------------------------------------------------

MODULE = "def double(x):\n    return 2 * x\n\n\ndef wait():\n    return None\n\n\ndef unused():\n    return None\n"
TESTS = """import mod


def test_double():
    assert mod.double(3) == 6


def test_wait():
    mod.wait()


def test_fails():
    assert mod.double(3) == 7
"""


def planted(folder: Path, name: str, head: str, old: str, new: str) -> Path:
    path = folder / "loaders" / f"{name}.patch"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"Fault: {name}.\n{head}\n\n--- a/mod.py\n+++ b/mod.py\n@@ -90 +90 @@\n-{old}\n+{new}\n", "utf-8")
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    made = tmp_path / "checkout"
    shutil.copytree(HERE, made / "tests" / "faults", ignore=shutil.ignore_patterns("*.patch", "__pycache__"))
    (made / "mod.py").write_text(MODULE, encoding="utf-8")
    (made / "tests" / "test_mod.py").write_text(TESTS, encoding="utf-8")
    (made / "tests" / "conftest.py").write_text(
        "from hypothesis import settings\nsettings.register_profile('dev')\n", encoding="utf-8"
    )
    subprocess.run(["git", "init", "-q", str(made)], check=True)
    return made


@pytest.mark.slow
def test_a_fault_is_caught_missed_or_in_error(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.faults.__main__.LEAST", 2.0)
    double, wait = "Test: tests/test_mod.py::test_double", "Test: tests/test_mod.py -k wait"
    made = {
        "caught": ("caught", double, "    return 2 * x", "    return 3 * x"),
        "missed": ("MISSED", double, "def unused():", "def unused(x=0):"),
        "gone": ("ERROR", double, "    return 4 * x", "    return 3 * x"),
        "twice": ("ERROR", double, "    return None", "    return 1"),
        "unsound": ("ERROR", "Test: tests/test_mod.py::test_fails", "    return 2 * x", "    return 3 * x"),
        "crash": ("MISSED", wait, "def wait():", "def wait(_=__import__('os').abort):\n+    _()"),
        "hang expected": ("caught", f"{wait}\nExpect: timeout", "def wait():",
                          "def wait(_=__import__('time').sleep):\n+    _(60)"),
    }  # fmt: skip
    patches = [read_patch(planted(tmp_path, name, *patch)) for name, (_, *patch) in made.items()]
    found = {verdict.patch.name.partition("/")[2]: verdict for verdict in run(checkout, patches, 2)}
    assert {name: verdict.kind for name, verdict in found.items()} == {name: kind for name, (kind, *_) in made.items()}
    assert found["caught"].detail == "tests/test_mod.py::test_double"
    assert "the closest is line 2: return 2 * x" in found["gone"].detail
    assert "lines 6, 10" in found["twice"].detail
    assert "SIGABRT" in found["crash"].detail
    assert (checkout / "mod.py").read_text(encoding="utf-8") == MODULE
    assert "caught" in capsys.readouterr().out


def test_faults_are_chosen_by_name_and_group() -> None:
    name = PATCHES[0].name
    assert chosen(PATCHES, [], None) == PATCHES
    for given in (name, f"{name}.patch", f"tests/faults/{name}.patch", name.partition("/")[2]):
        assert [patch.name for patch in chosen(PATCHES, [given], None)] == [name]
    assert {patch.group for patch in chosen(PATCHES, ["*"], "index")} == {"index"}
    with pytest.raises(SystemExit, match="no fault 'nothing'"):
        chosen(PATCHES, ["nothing"], None)


def test_a_hunk_is_found_by_its_code_and_not_by_the_comment_behind_it() -> None:
    hunk = Hunk(9, ("a = 1  # one", "# two"), ("a = 3",))
    assert hunk.places(["", "a = 1", "# two", "a = 1  # 1", "# 2"]) == [1]


@pytest.mark.parametrize(
    "text",
    [
        "Fault: a\n\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-a\n+b\n",
        "Fault: a\nTest: t\nExpect: luck\n\n--- a/m\n+++ b/m\n@@ -1 +1 @@\n-a\n+b\n",
        "Fault: a\nTest: t\n",
        "Fault: a\nTest: t\n\n--- a/m\n+++ b/m\n@@ -1,0 +1 @@\n+b\n",
        "Fault: a\nTest: t\n\n--- a/m\n+++ b/m\n-a\n+b\n",
    ],
    ids=["no test", "an unknown outcome", "no change", "nothing to find the place by", "no hunk"],
)
def test_what_is_no_patch_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "loaders" / "x.patch"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PatchError, match="loaders/x"):
        read_patch(path)


def test_a_kernel_depends_on_what_it_includes_and_cimports(tmp_path: Path) -> None:
    sources = {
        "src_ext/p/a.pyx": "from p.code cimport (\n    f,\n)\n",
        "src_ext/p/b.pyx": "from p.plain cimport S\n",
        "src_ext/p/c.pyx": "from p cimport plain\ncimport p.a\n",
        "src_ext/p/code.pxd": 'cdef extern from "body.h":\n    int g()\n',
        "src_ext/p/plain.pxd": "from p.code cimport f\ncdef struct S:\n    int a\n",
        "src_ext/p/a.pxd": "",
        "src_ext/p/body.h": '#include "inner.h"\n',
        "src_ext/p/inner.h": "",
    }
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    def found(name: str) -> str:
        return "".join(path.stem for path in dependents(tmp_path, [f"src_ext/p/{name}"]))

    assert {name: found(name) for name in ("a.pyx", "a.pxd", "code.pxd", "plain.pxd", "body.h", "inner.h")} == {
        "a.pyx": "a", "a.pxd": "ac", "code.pxd": "a", "plain.pxd": "bc", "body.h": "a", "inner.h": "a"
    }  # fmt: skip

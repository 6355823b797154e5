"""The lock of the packages that build and test a release names every one with its hashes, and no host."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / ".ci" / "lock.txt"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["tool"]["pip-tools"]["extra"]
WANTED = {
    "runtime": PROJECT["project"]["dependencies"],
    "build": PROJECT["build-system"]["requires"],
    **{extra: PROJECT["project"]["optional-dependencies"][extra] for extra in EXTRAS},
}

pytestmark = pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="not a checkout")


def locked() -> dict[str, tuple[str, int]]:
    """The version of every package in the lock, and the number of its hashes."""
    text = LOCK.read_text(encoding="utf-8")
    found = re.finditer(r"^([\w.-]+)==(\S+)((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", text, re.MULTILINE)
    return {canonicalize_name(each[1]): (each[2], each[3].count("--hash")) for each in found}


@pytest.mark.parametrize("group", WANTED)
def test_every_package_of_a_release_is_locked(group: str) -> None:
    versions = locked()
    for text in WANTED[group]:
        wanted = Requirement(text)
        version, hashes = versions[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version), f"{text}: {version} is locked"
        assert hashes > 0


def test_every_line_of_the_lock_is_read_and_hashed() -> None:
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    versions = locked()
    assert len(versions) == sum(bool(line) and line[0] not in " #" for line in lines)
    assert all(hashes for _, hashes in versions.values())


def test_the_lock_names_no_host_and_no_folder() -> None:
    text = LOCK.read_text(encoding="utf-8")
    assert not re.search(r"://|--(extra-)?index-url|--trusted-host|--find-links|^-|@ ", text, re.MULTILINE)


def test_the_lock_is_that_of_the_release_workflow() -> None:
    assert {"release", "test"} <= set(EXTRAS)
    assert PROJECT["tool"]["pip-tools"]["output-file"] == ".ci/lock.txt"
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert "--require-hashes -r .ci/lock.txt" in workflow


def test_each_action_of_a_workflow_is_a_commit_with_its_version_beside_it() -> None:
    """A tag or a branch of an action can be moved to other code, which would publish in our name."""
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    used = [line.strip() for each in workflows for line in each.read_text(encoding="utf-8").splitlines()]
    used = [line.partition("uses:")[2].strip() for line in used if line.lstrip("- ").startswith("uses:")]
    assert len(used) > 5
    assert [each for each in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+(\.\d+)+", each)] == []

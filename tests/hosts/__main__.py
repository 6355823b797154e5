"""`python -m tests.hosts [HOST ...]`: drive real hosts against a stub model, and print what was seen as a page."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.hosts import claude_code, codex, copilot, gemini, hermes, opencode, pi
from tests.hosts.harness import Report, Workplace, markdown
from tests.hosts.stub_model import StubModel

HOSTS: Final[Mapping[str, Callable[[Workplace, Report], None]]] = {
    "opencode": opencode.drive,
    "claude-code": claude_code.drive,
    "codex": codex.drive,
    "gemini": gemini.drive,
    "copilot": copilot.drive,
    "pi": pi.drive,
    "hermes": hermes.drive,
}


def main() -> int:
    """Drive the hosts that were named, by default all; return 1 when a check failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    parser.add_argument("hosts", nargs="*", metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--programs", type=Path, help="where programs are installed, and kept; default: a new folder")
    parser.add_argument("--out", type=Path, help="where the page goes; default: stdout")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.hosts if name not in HOSTS]:
        parser.error(f"there are {', '.join(HOSTS)}, not {', '.join(unknown)}")
    with tempfile.TemporaryDirectory(prefix="hosts-") as temporary:
        programs = chosen.programs or Path(temporary) / "programs"
        reports = [_report(name, Path(temporary) / name, programs.absolute()) for name in chosen.hosts or HOSTS]
    page = markdown(reports, datetime.now(UTC).date().isoformat())
    if chosen.out is None:
        print(page, end="")
    else:
        chosen.out.write_text(page, encoding="utf-8")
    return 0 if all(report.passed for report in reports) else 1


def _report(name: str, folder: Path, programs: Path) -> Report:
    """Drive one host in `folder`. A host that cannot be driven to the end is reported with the reason."""
    report = Report(name)
    with StubModel() as model:
        try:
            HOSTS[name](Workplace(folder, programs, model), report)
        except (OSError, subprocess.SubprocessError, LookupError, ValueError) as error:
            report.unreached = f"{type(error).__name__}: {error}"
    passed = sum(check.passed for check in report.checks)
    print(f"{name} {report.version}: {passed} of {len(report.checks)} {report.unreached}", file=sys.stderr)
    return report


if __name__ == "__main__":
    sys.exit(main())

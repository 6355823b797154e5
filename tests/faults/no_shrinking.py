"""A pytest plugin: properties stop at the first example that fails, since a planted fault need not be made small."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings


@pytest.hookimpl(trylast=True)
def pytest_configure() -> None:
    """Runs behind the conftest that loads the usual profile, and before any test module is imported."""
    usual = settings.get_profile("dev")
    settings.register_profile("faults", usual, phases=(Phase.explicit, Phase.generate), database=None)
    settings.load_profile("faults")

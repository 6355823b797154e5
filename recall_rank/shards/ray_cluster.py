"""The connection to Ray. No other module imports Ray; they use the module that connected() returns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Final

MISSING: Final = """workers of Ray need the extra "ray": pip install 'recall-rank[ray]'"""
LOCAL: Final = "local"  # the address of a Ray of this process's own
NOT_CONNECTED: Final = "this process is not connected to Ray"
NO_REPORTS: Final = "RAY_USAGE_STATS_ENABLED"  # Ray reports how it is used to its makers unless this is 0


def connected(address: str = "") -> Any:
    """Return the module `ray`, connected: as the caller's ray.init() has done, else to the cluster at `address`, else
    to that of the variable RAY_ADDRESS or the newest that runs on this machine, else to one that is started here.

    With "local" as the address one is always started here. A Ray that was started here ends with this process.
    Raises RuntimeError without the extra `ray`, and the errors of ray.init(), such as ConnectionError.
    """
    ray = _imported()
    if not ray.is_initialized():
        os.environ.setdefault(NO_REPORTS, "0")
        ray.init(address or None, include_dashboard=False, log_to_driver=False, configure_logging=False)
    return ray


def _imported() -> Any:
    try:
        import ray
    except ImportError as error:
        raise RuntimeError(MISSING) from error
    return ray


def placement(ray: Any, node_id: str, resources: Mapping[str, float]) -> dict[str, Any]:
    """Return the options of an actor or task that runs on the node with this id, if any, and on a node that has
    `resources`; without both the nodes of the cluster take turns.
    """
    wanted: dict[str, Any] = {"scheduling_strategy": "SPREAD"} if not resources else {"resources": dict(resources)}
    if node_id:
        affinity = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        wanted["scheduling_strategy"] = affinity(node_id, soft=False)
    return wanted


def this_node() -> str:
    """Return the id of the node that runs the calling actor or task."""
    return str(_imported().get_runtime_context().get_node_id())


def reason(error: BaseException) -> str:
    """Return in one line what an error of Ray says: the last line of its message, at most 200 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]

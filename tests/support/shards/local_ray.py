"""A Ray of two processors on this machine, for tests."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STORE_BYTES = 80 << 20  # Ray wants at least 75 MiB


@contextmanager
def local_ray(ray: Any) -> Iterator[Any]:
    """Start Ray, and stop it and remove its files at the end."""
    folder = tempfile.mkdtemp(prefix="rr-ray-")  # a short path: it holds sockets
    ray.init(
        "local",
        num_cpus=2,
        object_store_memory=STORE_BYTES,
        resources={"shard-b": 1},
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        _temp_dir=folder,
    )
    try:
        yield ray
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)

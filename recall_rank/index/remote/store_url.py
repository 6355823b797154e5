"""The facts about indexes in stores of objects that need no package that opens stores: which texts are their URLs, and
where the cache keeps what was read of them, and what is on its way to them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

STORES: Final = "stores"  # the folder of their blocks in the cache
STAGED: Final = "staged"  # the folder in the cache of what is not in them yet


def default_folder() -> Path:
    """Return the folder for caches of this system, for indexes in stores."""
    import platformdirs

    return platformdirs.user_cache_path("recall_rank", appauthor=False) / STORES


def is_store_url(place: object) -> bool:
    """Return whether an index lies in a store, such as s3://bucket/prefix, and not in a folder."""
    scheme, found, _ = place.partition("://") if isinstance(place, str) else ("", "", "")
    return bool(found) and len(scheme) > 1 and scheme.isalnum()

"""Tell the URL of an index in a store of objects from the path of a folder, without the package that opens stores."""

from __future__ import annotations


def is_store_url(place: object) -> bool:
    """Return whether an index lies in a store, such as s3://bucket/prefix, and not in a folder."""
    scheme, found, _ = place.partition("://") if isinstance(place, str) else ("", "", "")
    return bool(found) and len(scheme) > 1 and scheme.isalnum()

"""Search over shards: an index whose parts are scored and scanned by threads, processes or other machines."""

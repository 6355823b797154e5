"""The commands that manage the cache: `refresh`, `forget` and `purge`."""

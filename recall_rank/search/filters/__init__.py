"""Filters: determine the eligible set, that is, the sessions, messages and parts that may be hits."""

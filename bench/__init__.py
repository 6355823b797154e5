"""Benchmarks: one question a file, run with `python -m bench`; every one checks the answers it measures."""

"""Benchmarks of what programs use the library for."""

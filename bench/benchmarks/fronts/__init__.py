"""Benchmarks of the fronts that people look at."""

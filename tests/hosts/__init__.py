"""Checks against the real programs in which coding agents run: `python -m tests.hosts`. No part of the test suite."""

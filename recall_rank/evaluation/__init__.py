"""Measure how well an index answers labelled queries."""

"""Argument shapes in, wire shapes out: one way to reach the engine a file."""

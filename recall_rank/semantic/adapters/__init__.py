"""Embedders of models that run on this machine: in this process, or behind an address of it."""

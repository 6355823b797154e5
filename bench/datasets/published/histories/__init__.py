"""Histories of coding agents that public repositories hold, and known-item queries made from them by seed.

The parsers here are independent of the loaders of recall_rank, so that no change of a loader changes the data that
rankings are measured on.
"""

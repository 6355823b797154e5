"""Combine the histories of several agents into one searchable index, kept in memory or cached on disk and
refreshed.
"""

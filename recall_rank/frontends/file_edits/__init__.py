"""Edits of files of others: a diff before, all files or none, and an undo byte for byte."""

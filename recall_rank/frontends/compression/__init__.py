"""Compression of a conversation into three zones: its beginning, a summary of its middle, and its last rounds."""

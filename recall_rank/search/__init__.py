"""Answer one query from one index reader."""

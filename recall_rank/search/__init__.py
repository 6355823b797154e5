"""The search engine: answer one query from one index."""

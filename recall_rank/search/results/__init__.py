"""The page, its snippets, and the response."""

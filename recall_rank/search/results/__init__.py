"""The stages that make the page, its snippets, and the response."""

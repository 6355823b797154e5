"""Query expansion: find the terms of the index that match the words of a query."""

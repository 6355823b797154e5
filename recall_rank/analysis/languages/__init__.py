"""Languages: which one a query is written in, its function words, and the stems of its words."""

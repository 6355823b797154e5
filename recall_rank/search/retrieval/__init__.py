"""Retrieval: finds the documents that match a query, by its terms and dates or by a scan of the text."""

"""The terms of the vocabulary that stand for the words of a query."""

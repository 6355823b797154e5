"""The terms of the eligible vocabulary that match the words of a query."""

"""The stage that puts the hits of a search in their final order."""

"""The vectors of a segment: what an embedder made of its passages."""

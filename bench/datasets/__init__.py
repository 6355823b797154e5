"""Real and generated histories, labelled queries, random searches, and inputs of kernels."""

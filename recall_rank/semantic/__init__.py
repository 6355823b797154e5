"""Search by meaning, where the user gives an embedder: making vectors of passages, and comparing a query with them."""

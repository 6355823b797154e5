"""Read the SQLite databases of other programs without writing to them."""

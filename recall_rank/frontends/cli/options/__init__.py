"""Options that several commands share, and the values read from them."""

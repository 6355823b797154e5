"""Options that several commands have in common, and functions that read their values."""

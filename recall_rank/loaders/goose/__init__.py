"""The loader of Goose sessions."""

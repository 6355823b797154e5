"""The loader of Hermes Agent sessions."""

"""Commands for agents' hosts."""

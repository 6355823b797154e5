"""Find secrets in recalled text and replace them."""

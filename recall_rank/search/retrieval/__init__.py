"""Evidence for documents: terms, dates and literal text."""

"""The eligible set: scope and filters, applied before anything is ranked or counted."""

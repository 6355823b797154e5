"""The commands by which several machines share histories: push and pull."""

"""The commands of `recall-rank`, one module each."""

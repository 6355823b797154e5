"""The command `recall-rank`."""

"""Programs that use recall-rank, to run as they are and to copy from."""

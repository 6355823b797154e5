"""The commands of `recall-rank`: each module has one, or several that share their work."""

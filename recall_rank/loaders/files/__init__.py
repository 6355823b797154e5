"""Reading the files of agents: only regular files, opened read-only and never through a link."""

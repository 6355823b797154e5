"""Regular files of agents, opened read-only and never through a link."""

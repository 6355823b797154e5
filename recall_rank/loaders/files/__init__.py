"""Regular files, opened read-only and never through a link."""

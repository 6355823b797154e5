"""The project and repository that a working folder belongs to."""

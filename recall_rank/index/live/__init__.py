"""Sessions that are added, appended to and removed while an index is searched."""

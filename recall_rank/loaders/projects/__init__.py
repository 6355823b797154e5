"""The name of the repository of a working folder, and the folders in which stores inside projects are searched."""

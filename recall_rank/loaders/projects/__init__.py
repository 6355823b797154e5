"""The repository of a working folder, and the folders in which stores of projects are searched."""

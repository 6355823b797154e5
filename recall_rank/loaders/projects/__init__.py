"""The repository that a working folder belongs to, and the folders in which stores of projects are looked for."""

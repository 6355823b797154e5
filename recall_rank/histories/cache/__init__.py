"""The index on disk: a refresh reads only the units (files or sessions of a database) that changed and publishes
the next generation of the index.
"""

"""Histories of several machines: pushed to one index in a store, or pulled to this machine as copies of stores."""

"""Plugins, manifests and entries for the programs in which coding agents run."""

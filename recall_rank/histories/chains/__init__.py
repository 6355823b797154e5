"""Chains: the tree of sessions that came from each other by fork, compression, call of a subagent or continuation."""

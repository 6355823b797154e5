"""Counts of messages per period, project and agent, and their drawing: what commands and pages show of a history."""

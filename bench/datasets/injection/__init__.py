"""Labelled texts that measure a scanner for injected instructions: attacks and harmless ones, in two halves."""

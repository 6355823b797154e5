"""Merge several segments into one."""

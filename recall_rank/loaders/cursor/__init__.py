"""Cursor editor and command-line chats."""

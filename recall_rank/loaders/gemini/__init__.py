"""Gemini CLI chats."""

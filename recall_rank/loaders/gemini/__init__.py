"""The loader of Gemini CLI chats."""

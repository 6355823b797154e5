"""The loader of GitHub Copilot CLI sessions."""

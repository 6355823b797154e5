"""Content of messages that several agents write in one form."""

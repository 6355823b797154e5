"""The loaders of chats of the Cursor editor and the Cursor command line."""

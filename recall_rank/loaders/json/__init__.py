"""JSON lines and JSON documents, read as a stream; broken records are counted."""

"""JSON lines and documents, read as a stream; broken records are counted."""

"""Sessions as Markdown: whole, or as transcripts of exchanges with tool calls in one line each and statistics."""

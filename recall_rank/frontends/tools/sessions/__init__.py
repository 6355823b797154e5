"""Past sessions in the form of session_search: windows of messages, PraisonAI's scores, one folder without an index."""

"""Made-up conversations with an agent."""

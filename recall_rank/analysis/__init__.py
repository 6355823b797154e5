"""Text normalisation, and what the wording of a query or a passage tells: intent, dates, kinds of utterance."""

"""Text normalisation and fields, and the meaning of wordings: question intent, dates, kinds of utterance."""

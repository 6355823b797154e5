"""Read several segments as one index, with one numbering of sessions, messages, parts and documents."""

"""Commands that do something with a hit of the last search: open its session, copy its text, reopen its session."""

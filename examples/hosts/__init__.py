"""One program a host: `python -m examples.hosts.codex` installs recall-rank into a home folder made for it."""

"""What commands print: text for people, pages, exit codes."""

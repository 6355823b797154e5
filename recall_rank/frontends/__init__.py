"""Front ends of the library: the agent tools, the hooks, the MCP server and the command line."""

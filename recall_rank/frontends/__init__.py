"""The front ends of the library: the tools for agents, the hooks, the MCP server and the command line."""

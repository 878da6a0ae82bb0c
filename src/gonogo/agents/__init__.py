"""The workflow for coding agents: the stations as MCP tools, and as a skill to read."""

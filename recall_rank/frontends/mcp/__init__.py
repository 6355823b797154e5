"""The recall tools over the Model Context Protocol."""

"""The recall tools: arguments in, JSON values out."""

"""Write several segments as one."""

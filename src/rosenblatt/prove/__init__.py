"""Claims become certificates."""

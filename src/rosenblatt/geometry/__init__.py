"""Nearest points, widest margins, best steps along a line."""

"""Solvers for separability, the largest margin and the fewest mistakes, with their certificates."""

"""Verdicts, margins and fewest mistakes, with their certificates."""

"""Columns become features: how that is inferred, saved and applied."""

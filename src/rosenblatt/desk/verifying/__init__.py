"""What a model or a proof claims, and how each claim is checked on a table."""

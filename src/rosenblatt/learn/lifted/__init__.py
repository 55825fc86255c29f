"""Every row with a feature of its own."""

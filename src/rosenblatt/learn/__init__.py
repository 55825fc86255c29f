"""Examples become weights."""

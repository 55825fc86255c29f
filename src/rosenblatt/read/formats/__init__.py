"""Files of each format become tables."""

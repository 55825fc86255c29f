"""Rules for rows not seen: paths from the widest street to the fewest mistakes, and the choice among them by folds."""

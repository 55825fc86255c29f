"""The fewest mistakes: the pocket algorithm, and a descent from there."""

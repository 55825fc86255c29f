"""One row of a stream at a time."""

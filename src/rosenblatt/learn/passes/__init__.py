"""Rules of passes over the rows: averaged, voted, with a margin, passive-aggressive."""

"""The contents of a table's columns: statistics in one pass, and the kinds inferred from them."""

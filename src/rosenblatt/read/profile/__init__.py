"""What a table's columns are made of: statistics in one pass, and the kinds that follow from them."""

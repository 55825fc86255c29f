"""Learns a rule that can be shipped: chooses the algorithm, compares others with it, shortens the weights."""

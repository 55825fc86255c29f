"""What users want of decisions, how these are made from scores, and how good they are on rows not learned from."""

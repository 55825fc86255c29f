"""What is wanted of decisions, how they are made from scores, and how good they are on rows not learned from."""

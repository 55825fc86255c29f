"""What surrounds a decision: probabilities, cut-offs, rules that may ask a person, and how well they do."""

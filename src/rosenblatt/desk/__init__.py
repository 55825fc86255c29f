"""What an analyst does with a table: check it, learn from it, judge the rule. No printing."""

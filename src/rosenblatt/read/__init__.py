"""Tables become examples."""

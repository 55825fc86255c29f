"""Trees of tests."""

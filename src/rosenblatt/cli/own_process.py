"""Whether the command runs in a process of its own."""

# If so, it may read in the background and exit without cleaning up; tests that run it in their own process may not.
is_own = False

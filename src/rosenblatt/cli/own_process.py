"""Whether the command runs in a process of its own."""

# Then nobody needs what it leaves behind: it may read in the background, and end at once. In-process tests may not.
is_own = False

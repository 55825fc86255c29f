"""Exit codes."""

DONE = 0
NO = 1  # the answer is no: not separable, a claim fails
USAGE = 2
BAD_DATA = 3
BUG = 70  # as sysexits.h has it
NOT_WRITTEN = 74  # likewise: standard output did not take the result
INTERRUPTED = 130

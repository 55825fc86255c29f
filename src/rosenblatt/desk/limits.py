"""Default limits for proofs: an amount of work, which is the same on every machine."""

from rosenblatt.prove.solve.clock import Clock

FIT_WORK = 3e9  # operations of about a nanosecond, for each proof of `fit`
CHECK_WORK = 3e10  # for each proof of `check`


def clock_of(seconds: float | None, work: float, verbose: bool) -> Clock:
    """The clock of a proof: limited to the user's seconds (0: unlimited), or by default to an amount of work."""
    return Clock(verbose=verbose, most_work=work) if seconds is None else Clock(seconds or None, verbose)


def more(clock: Clock) -> str:
    """What to say about a proof that was ended by a limit."""
    return f"{clock.why_late}; use --seconds N to allow N seconds, which may prove more"

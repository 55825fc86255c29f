"""How long a proof may take where nothing else is said: so much work, which is the same on every machine."""

from rosenblatt.prove.solve.clock import Clock

FIT_WORK = 3e9  # operations of about a nanosecond, for each proof that goes with a rule
CHECK_WORK = 3e10  # the same, where the proof is what was asked for


def clock_of(seconds: float | None, work: float, verbose: bool) -> Clock:
    """The clock of a proof: for the user's seconds, 0 for as long as it takes; None: for so much work."""
    return Clock(verbose=verbose, most_work=work) if seconds is None else Clock(seconds or None, verbose)


def more(clock: Clock) -> str:
    """What to say of a proof that a limit ended."""
    return f"{clock.why_late}; --seconds N gives it N seconds instead, and may prove more"

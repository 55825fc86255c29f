"""Checks the profile of a model: every count is counted again on the training rows, in the file's own bins."""

from collections.abc import Sequence

import numpy as np

from rosenblatt.desk.profile import codes_and_scores, counted_columns
from rosenblatt.desk.verifying.claim import AGAIN, NEAR, PREDICT, Claim, Outcome, Subject
from rosenblatt.judge.profile import Profile, ScoreProfile
from rosenblatt.plurals import many
from rosenblatt.rows.kernels import Array


def _columns(about: Subject, profile: Profile) -> Outcome:
    """The counts of the columns' cells."""
    edges = [each.edges for each in profile.columns]
    found = counted_columns(about.trained, edges)
    if found.rows != profile.rows:
        return Outcome(False, f"The profile is of {many(profile.rows, 'row')}, not {found.rows:,}.", AGAIN)
    for each, counts in zip(profile.columns, found.counts, strict=True):
        if list(each.counts) != counts.tolist():
            return Outcome(False, f"The profile's counts of column {each.name!r} are not those of these rows.", AGAIN)
    return Outcome(True, f"The profile's counts of {many(profile.rows, 'row')} are right in every column.", AGAIN)


def _scores(about: Subject, scores: ScoreProfile) -> Outcome:
    """The counts of scores and decisions; a score within rounding of a bin's end may be on either side of it."""
    if scores.held_out != bool(about.tested.n):
        return Outcome(False, "The profile's scores are not those of the rows held out.", AGAIN)
    codes, found = codes_and_scores(about.model, (about.tested if scores.held_out else about.trained).seen)
    decisions = np.bincount(codes % len(scores.decisions), minlength=len(scores.decisions)).tolist()
    if decisions != list(scores.decisions) or not _in_bins(scores.edges, scores.counts, found):
        return Outcome(False, "The profile's scores or decisions are not those of these rows.", PREDICT)
    which = "held-out row" if scores.held_out else "training row"
    return Outcome(
        True, f"The profile's counts of the scores and decisions of {many(found.size, which)} are right.", PREDICT
    )


def _in_bins(edges: Sequence[float], counts: Sequence[int], scores: Array) -> bool:
    """Whether each bin has the number of scores that is claimed, up to rounding."""
    up_to, slack = np.cumsum(counts)[:-1], NEAR * float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
    ordered = np.sort(scores)
    least, most = (np.searchsorted(ordered, np.asarray(edges) + side, "right") for side in (-slack, slack))
    return scores.size == sum(counts) and bool((least <= up_to).all() and (up_to <= most).all())


CLAIMS = (
    Claim("profile", lambda about: [] if about.model.profile is None else [about.model.profile], _columns),
    Claim("scores", lambda about: [] if about.model.profile is None else [about.model.profile.scores], _scores),
)

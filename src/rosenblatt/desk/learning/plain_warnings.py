"""Rewords the warnings of estimators for users of the command, who see tables and options, not arrays and classes."""

import re
from collections.abc import Sequence

# The words of `ADVICE` in rules/linear/perceptron.py. The columns of a table are of similar sizes already.
SCALER = re.compile(r", or bring the columns to similar sizes \(StandardScaler\)")


def in_plain_words(warning: str, classes: Sequence[str]) -> str:
    """The warning with labels instead of class numbers, and command options instead of parameters."""

    def label(found: re.Match[str]) -> str:
        rest, code = found.groups()
        return f"{rest or ''}{classes[int(code)] if int(code) < len(classes) else code}"

    def pair(found: re.Match[str]) -> str:
        return re.sub(r"(not )?\b(\d+)\b", label, found.group())

    text = re.sub(r"\((?:not )?\d+ against (?:not )?\d+\)", pair, SCALER.sub("", warning))
    text = re.sub(r"\bmax_(passes|updates|seconds)\b", r"--max-\1", text)
    return text.replace("PocketPerceptron keeps", "--algorithm pocket keeps")

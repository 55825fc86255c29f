"""What an estimator warns of, in the words of someone who has a table and a command, not arrays and a class."""

import re
from collections.abc import Sequence

SCALER = re.compile(r", or bring the columns to similar sizes \(StandardScaler\)")  # those of a table are already


def in_plain_words(warning: str, classes: Sequence[str]) -> str:
    """The warning with labels for the numbers of classes, and options for parameters."""

    def label(found: re.Match[str]) -> str:
        rest, code = found.groups()
        return f"{rest or ''}{classes[int(code)] if int(code) < len(classes) else code}"

    def pair(found: re.Match[str]) -> str:
        return re.sub(r"(not )?\b(\d+)\b", label, found.group())

    text = re.sub(r"\((?:not )?\d+ against (?:not )?\d+\)", pair, SCALER.sub("", warning))
    text = re.sub(r"\bmax_(passes|updates|seconds)\b", r"--max-\1", text)
    return text.replace("PocketPerceptron keeps", "--algorithm pocket keeps")

"""A double of the scan in memory: it answers as that does, and counts."""

from itertools import pairwise

from rosenblatt.rows.scan import IN_MEMORY
from rosenblatt.rows.storage import n_rows


class CountingScan:
    """Notes every look: what was asked, and of which rows."""

    def __init__(self):
        self.looks = []

    def look(self, table, question, out, first=0, last=None, times=1):
        last = n_rows(table.rows) if last is None else last
        self.looks.append((type(question).__name__, first, last))
        return IN_MEMORY.look(table, question, out, first, last, times)

    @property
    def asked(self):
        """Which questions were put, without repetitions in a row."""
        names = [name for name, _, _ in self.looks]
        return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]

    @property
    def rows(self):
        """How many rows were looked at, in all."""
        return sum(last - first for _, first, last in self.looks)


class StretchingScan:
    """Hands out one short stretch after the other, as a table in blocks would."""

    def __init__(self, size):
        self.size = size

    def look(self, table, question, out, first=0, last=None, times=1):
        last = n_rows(table.rows) if last is None else last
        ends = [*range(first, last, self.size), last]
        return [question(table, a, b, out[a - first : b - first]) for a, b in pairwise(ends) if a < b]

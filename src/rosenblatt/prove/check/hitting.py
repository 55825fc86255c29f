"""Lower bounds, for the checker, on the number or the cost of rows that hit each of several sets.

Every rule errs on a row of each contradiction. So it makes at least as many mistakes as the smallest hitting set has
rows, and they cost at least as much as the cheapest one. Nothing here knows how the contradictions were found.
"""

from collections.abc import Iterator, Mapping, Sequence

MOST_READ = 5_000_000  # entries of sets, to prove that fewer rows are not enough
Set = Sequence[int] | frozenset[int]


def packed(sets: Sequence[Set], costs: Mapping[int, int] | None = None) -> int:
    """A lower bound on the cost of rows that hit each of these sets; without costs, on their number.

    Each set in turn charges all its rows what is left of the cheapest: whatever rows are chosen, they pay for every
    set, and no row pays more than it costs. Without costs, this counts disjoint sets.
    """
    total = 0
    left: dict[int, int] = {}
    for rows in sets:
        for row in rows:
            left.setdefault(row, 1 if costs is None else costs[row])
        if least := min(left[row] for row in rows):
            total += least
            for row in rows:
                left[row] -= least
    return total


def is_needed(sets: Sequence[Sequence[int]], cost: int, costs: Mapping[int, int] | None = None) -> bool:
    """Whether rows that hit each of these sets provably cost at least this much; False also if the proof is too long.

    Without costs, each row costs 1. If `packed` does not prove it, each row of a smallest set is tried in turn: with
    it, and from then on without it. The search ends: each branch settles one row, and all of them read at most
    MOST_READ entries.
    """
    left = list(dict.fromkeys(frozenset(each) for each in sets))
    if packed(sets, costs) >= cost:
        return True
    if not left or sum(min(_price(row, costs) for row in each) for each in left) < cost:
        return False
    branches: list[tuple[list[frozenset[int]], int, Iterator[int]]] = []
    rest, read = cost - 1, 0
    while True:
        if not left and rest >= 0:
            return False  # so little is enough
        read += sum(map(len, left))
        if read > MOST_READ:
            return False
        smallest = min(left, key=len, default=frozenset[int]())
        if smallest and packed(sorted(left, key=len), costs) <= rest:
            branches.append((left, rest, iter(sorted(smallest))))
        row = next(branches[-1][2], None) if branches else None
        while row is None:
            if len(branches) < 2:
                return True
            branches.pop()
            row = next(branches[-1][2], None)
        before, rest, order = branches[-1]
        branches[-1] = [each - {row} if row in each else each for each in before], rest, order
        left, rest = [each for each in before if row not in each], rest - _price(row, costs)


def _price(row: int, costs: Mapping[int, int] | None) -> int:
    return 1 if costs is None else costs[row]

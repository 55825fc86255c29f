"""A decision tree of features, in plain Python and exact fractions: the oracle. It imports nothing of the package.

A row is (values, label, weight): numbers, or codes of categories; None is missing. A tree is a nested dict.
"""

from fractions import Fraction
from itertools import pairwise
from math import log2

TIE = 1e-12


def counts_of(rows, classes):
    counts = [0] * classes
    for _, label, weight in rows:
        counts[label] += weight
    return counts


def purity(counts, criterion):
    """Sums of this over the branches, less the node's own, are the gain times the weight of the node."""
    total = sum(counts)
    if not total:
        return 0
    if criterion == "gini":
        return sum(Fraction(c) ** 2 for c in counts) / Fraction(total)
    if criterion == "mistakes":
        return Fraction(max(counts))
    return sum(c * log2(c) for c in counts if c) - total * log2(total)


def gain_and_info(rows, parts, classes, criterion):
    before, total = counts_of(rows, classes), sum(weight for *_, weight in rows)
    sums = sum(purity(counts_of(part, classes), criterion) for part in parts) - purity(before, criterion)
    sizes = [sum(weight for *_, weight in part) for part in parts]
    info = log2(total) - sum(size * log2(size) for size in sizes if size) / total
    return sums / total, info


def middle(low, high):
    found = 0.5 * low + 0.5 * high
    return found if low <= found < high else low


def number_splits(rows, column):
    values = sorted({values[column] for values, *_ in rows if values[column] is not None})
    for low, high in pairwise(values):
        test = ("number", column, middle(low, high))
        yield (
            test,
            [
                [row for row in rows if row[0][column] is not None and row[0][column] <= test[2]],
                [row for row in rows if row[0][column] is not None and row[0][column] > test[2]],
            ],
        )


def category_splits(rows, column, classes, each):
    codes = sorted({values[column] for values, *_ in rows if values[column] is not None})
    if len(codes) < 2:
        return
    of_code = {code: [row for row in rows if row[0][column] == code] for code in codes}
    if each:
        yield ("category", column, tuple((code,) for code in codes)), list(of_code.values())
        return
    for label in [1] if classes == 2 else range(classes):

        def share(code, label=label):
            counts = counts_of(of_code[code], classes)
            return Fraction(counts[label], sum(counts)), code

        lined = sorted(codes, key=share)
        for cut in range(1, len(lined)):
            groups = sorted([tuple(sorted(lined[:cut])), tuple(sorted(lined[cut:]))])
            yield ("category", column, tuple(groups)), [[r for code in g for r in of_code[code]] for g in groups]


def best_of_column(rows, column, categorical, classes, plan):
    """The first test of a column with the highest gain: (gain, info, test, parts), or None."""
    absent = [row for row in rows if row[0][column] is None]
    each = plan["categories"] == "each"
    splits = category_splits(rows, column, classes, each) if categorical else number_splits(rows, column)
    best = None
    known = [row for row in rows if row[0][column] is not None]
    if min(sum(weight for *_, weight in part) for part in (known, absent)) >= plan["min_leaf"]:
        gain, info = gain_and_info(rows, [known, absent], classes, plan["criterion"])
        best = (gain, info, ("presence", column, None), [known, absent])
    for test, parts in splits:
        sizes = [sum(weight for *_, weight in part) for part in parts]
        large = sum(size >= plan["min_leaf"] for size in sizes)
        if large < (2 if categorical and each else len(parts)):
            continue
        gain, info = gain_and_info(rows, [*parts, absent], classes, plan["criterion"])
        if best is None or gain > best[0] + TIE:
            best = (gain, info, test, [*parts, absent] if absent else parts)
    return best


def best_test(rows, kinds, classes, plan):
    found = [best_of_column(rows, column, kind, classes, plan) for column, kind in enumerate(kinds)]
    useful = [each for each in found if each is not None and each[0] > TIE]
    if not useful:
        return None
    if plan["criterion"] == "gain ratio":
        average = sum(each[0] for each in useful) / len(useful)
        useful = [each for each in useful if each[0] >= average - TIE]
        scores = [each[0] / each[1] for each in useful]
    else:
        scores = [each[0] for each in useful]
    return next(each for each, score in zip(useful, scores, strict=True) if score >= max(scores) - TIE)


def grow(rows, kinds, classes, plan, depth=0):
    """kinds[column] tells whether it holds categories; plan: criterion, categories, min_leaf, max_depth."""
    counts = counts_of(rows, classes)
    node = {"counts": counts, "test": None, "children": []}
    deep = plan["max_depth"] is not None and depth >= plan["max_depth"]
    if max(counts) == sum(counts) or deep or sum(counts) < 2 * plan["min_leaf"]:
        return node
    best = best_test(rows, kinds, classes, plan)
    if best is None:
        return node
    _, _, test, parts = best
    branches = len(test[2]) if test[0] == "category" else 2 if test[0] == "number" else 1
    sizes = [sum(weight for *_, weight in part) for part in parts[:branches]]
    node["test"] = test
    node["missing"] = branches if len(parts) > branches else sizes.index(max(sizes))
    node["children"] = [grow(part, kinds, classes, plan, depth + 1) for part in parts]
    return node


def label_of(node, values):
    """The label of a row: where it ends, the most frequent class, the first of equals."""
    while node["test"] is not None:
        kind, column, rule = node["test"]
        value = values[column]
        if value is None:
            branch = node["missing"]
        elif kind == "presence":
            branch = 0
        elif kind == "number":
            branch = int(value > rule)
        else:
            branch = next((k for k, codes in enumerate(rule) if value in codes), None)
            if branch is None:
                sizes = [sum(child["counts"]) for child in node["children"][: len(rule)]]
                branch = sizes.index(max(sizes))
        node = node["children"][branch]
    return node["counts"].index(max(node["counts"]))


def subtrees(node):
    """All pruned versions of a tree: (mistakes, leaves, the set of paths that keep their test)."""
    mistakes = sum(node["counts"]) - max(node["counts"])
    yield mistakes, 1, frozenset()
    if node["test"] is None:
        return
    versions = [(0, 0, frozenset({()}))]
    for k, child in enumerate(node["children"]):
        below = list(subtrees(child))
        versions = [
            (a + m, leaves + many, kept | {(k, *path) for path in paths})
            for a, leaves, kept in versions
            for m, many, paths in below
        ]
    yield from versions

"""The lifted and the kernel perceptron in their slowest form, in exact rationals. Imports nothing of rosenblatt."""

from fractions import Fraction

from oracle import naive


def lifted_rows(rows, lift):
    """[x_i; s e_i]: every row with a feature of its own."""
    return [[*x, *(lift * (i == j) for j in range(len(rows)))] for i, x in enumerate(rows)]


def lifted_cyclic(rows, labels, lift, passes):
    """The explicit run in d + n dimensions: the corrected rows, the first weights, the own ones times the labels."""
    lifted = lifted_rows(rows, lift)
    corrected, w = naive.cyclic(lifted, labels, [0.0] * len(lifted[0]), passes)
    d = len(rows[0])
    return corrected, w[:d], [y * own for y, own in zip(labels, w[d:], strict=True)]


def score(K, amounts, i):
    return sum((Fraction(a) * Fraction(k) for a, k in zip(amounts, K[i], strict=True)), Fraction(0))


def is_mistake(K, labels, amounts, i):
    return labels[i] * score(K, amounts, i) <= 0


def dual_cyclic(K, labels, passes, weights=None, remember=None, draws=()):
    """PLA on a kernel matrix, row i of which has the products with row i, in passes until n copies in a row are right.

    With `remember`, the correction of number t >= remember replaces the one at place draws[t].
    Returns the corrected rows, the amounts, those forgotten, and the amounts after each look.
    """
    n = len(labels)
    weights = [1.0] * n if weights is None else weights
    copies = [(i, min(1.0, weights[i] - k)) for i in range(n) for k in range(-int(-weights[i] // 1))]
    amounts, corrected, forgotten, memory, states, quiet = [0.0] * n, [], [], [], [], 0
    for _ in range(passes):
        for i, step in copies:
            if is_mistake(K, labels, amounts, i):
                if remember is not None and len(corrected) >= remember:
                    j, old = memory[draws[len(corrected)]]
                    amounts[j] -= old
                    forgotten.append(j)
                    memory[draws[len(corrected)]] = (i, step * labels[i])
                else:
                    memory.append((i, step * labels[i]))
                amounts[i] += step * labels[i]
                corrected.append(i)
                quiet = 0
            else:
                quiet += 1
            states.append(list(amounts))
            if quiet >= len(copies):
                return corrected, amounts, forgotten, states
    return corrected, amounts, forgotten, states

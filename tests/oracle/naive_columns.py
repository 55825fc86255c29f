"""Which column enters a rule next, by trying all of them; imports nothing of ours."""

import numpy as np
from scipy.optimize import minimize


def lowest(Z, signs, share, ridge):
    """The least mean of squared hinge losses and half the ridge times the square of the weights, and those weights."""

    def value(w):
        slack = np.maximum(0.0, 1.0 - signs * (Z @ w))
        return share @ slack**2 / 2 + ridge / 2 * w @ w, ridge * w - Z.T @ (share * slack * signs)

    found = minimize(value, np.zeros(Z.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-10, "maxiter": 10_000})
    return found.fun, found.x


def pulled(Z, signs, share, w):
    """How strongly each row pulls its score."""
    return share * signs * np.maximum(0.0, 1.0 - signs * (Z @ w))


def schur(Z, share, ridge, new):
    """What is the last `new` features' own of the second moments and the ridge; and of every row, weighted by it."""
    inverse = np.linalg.inv((Z.T * share) @ Z + ridge * np.eye(Z.shape[1]))
    return np.linalg.inv(inverse[-new:, -new:]), Z @ inverse[:, -new:]


def promise(inside, entering, pulls, share, ridge):
    """What the slope at a place without the new features promises, and how much of that noise may be."""
    own, rows = schur(np.column_stack([inside, entering]), share, ridge, entering.shape[1])
    slope = entering.T @ pulls
    noise = sum(pull**2 * row @ own @ row for pull, row in zip(pulls, rows, strict=True))
    return slope @ np.linalg.solve(own, slope) / 2, noise


def entered(columns, signs, share, ridge, bias, most):
    """The columns in order of entry: each time the one with the least value after it, its noise counted."""
    chosen = []
    for _ in range(most):
        inside = np.column_stack([*(columns[c] for c in chosen), np.full(signs.size, bias)])
        pulls, tried = pulled(inside, signs, share, lowest(inside, signs, share, ridge)[1]), {}
        for c in sorted(set(range(len(columns))) - set(chosen)):
            least, _ = lowest(np.column_stack([inside, columns[c]]), signs, share, ridge)
            tried[c] = least + promise(inside, columns[c], pulls, share, ridge)[1]
        chosen.append(min(tried, key=tried.get))
    return chosen

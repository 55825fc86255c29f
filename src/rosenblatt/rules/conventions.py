"""Rules in words: what a score is, what is decided from it, and what a tie is.

Model files contain these sentences, and a file with others is refused: protocol 1 keeps them forever.
"""

from rosenblatt.rules.schemes import JOINT, ONE_VS_ONE, ONE_VS_REST

UNIT_ROWS = "the features of a row are divided by their length first; a row of zeros stays"
SUM = "the sum of every weight times its feature, plus the last weight times the bias"
AVERAGE = f"{SUM}; a weight is the one given less its sum divided by the examples seen"
VOTE = (
    "the share of the looks whose weights say yes less the share of those that say no; a score of exactly 0 of one of "
    "them says {zero}"
)
KERNEL = (
    "the sum over the support rows of their amount, or where average is true of its mean over all looks, times the "
    "kernel of both rows plus the square of the bias"
)

TREE = {
    "score": "the share of a class in the counts of the leaf that a row ends in, or of its side of the leaf's rule",
    "branches": "a number, or the sum of a perceptron's terms added up from left to right, of at most the threshold "
    "goes to the first child, a greater one to the second; a category goes to the child of its branch, and to `other` "
    "if it is in none; what is missing goes to `missing`",
    "threshold": "the class with the greatest share is predicted",
    "ties": "of equal shares the first class",
}
OF_CLASSES = {
    ONE_VS_REST: {
        "threshold": "each class has a rule against the rest; the class with the greatest score is predicted",
        "ties": "of equal scores the first class",
    },
    JOINT: {
        "threshold": "each class has a score; the class with the greatest score is predicted",
        "ties": "of equal scores the first class",
    },
    ONE_VS_ONE: {
        "threshold": "each pair of classes has a rule that says the second where its score is above 0; the class that "
        "most rules say is predicted",
        "ties": "a score of exactly 0 is {zero}; of classes that as many rules say, the one that wins most of the "
        "rules among them, then the first",
    },
}


def in_words(score: str, *, classes: int, scheme: str | None, zero_is_yes: bool, unit_rows: bool) -> dict[str, str]:
    """The conventions of a rule that decides by scores; `score` says what a score is."""
    zero, words = "yes" if zero_is_yes else "no", {"score": score}
    if unit_rows:
        words["rows"] = UNIT_ROWS
    if classes == 2:
        words["threshold"] = "yes, the second class, where the score is above 0; no, the first class, where it is below"
        words["ties"] = f"a score of exactly 0 is {zero}"
        return words
    several = OF_CLASSES[scheme or ONE_VS_REST]
    second = "the second" if zero_is_yes else "the first"
    return words | {name: text.format(zero=second) for name, text in several.items()}

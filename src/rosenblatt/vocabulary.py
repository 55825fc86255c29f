"""The names of orders, tie rules and starts, in a module that imports nothing: the command's help must be quick."""

ORDERS = ("active", "cyclic", "random", "random-mistake", "worst")  # `learn.choices.Order`
TIE_RULES = ("mistake", "plus", "minus", "correct")  # `rows.kernels.TIES`
STARTS = ("zeros", "first", "random")
CALIBRATIONS = ("sigmoid", "isotonic", "merged", "venn-abers")  # `judge.tables.METHODS`

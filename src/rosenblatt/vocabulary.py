"""The words that users choose by: light, because the command's help must not wait for compiled code."""

ORDERS = ("active", "cyclic", "random", "random-mistake", "worst")  # `learn.choices.Order`
TIE_RULES = ("mistake", "plus", "minus", "correct")  # `rows.kernels.TIES`
STARTS = ("zeros", "first", "random")

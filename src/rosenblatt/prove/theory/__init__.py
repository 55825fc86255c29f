"""The statements of the lecture notes, one function each."""

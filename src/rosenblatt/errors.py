"""Every error that rosenblatt itself raises.

RosenblattError
├── DataError         unusable examples; names the row, and the column if there is one
│   └── TableError    a file that cannot be read, or a table with the wrong columns; names the file
├── OptionError       an option with an unknown or unsuitable value, such as a rule, a start or a budget
├── LedgerError       a damaged ledger file, or a ledger replayed on the wrong examples
├── ModelError        a damaged model file, or one that this version does not understand; names the problem
├── CertificateError  a damaged certificate, or one that proves nothing about the data; names what failed
└── MissingExtraError a package that is not installed; names the command that installs it

All of them are also ValueErrors, as users of scikit-learn expect.
"""


class RosenblattError(ValueError):
    """The base class of all errors above."""


class DataError(RosenblattError):
    """Unusable examples."""


class TableError(DataError):
    """A file that cannot be read, or a table with the wrong columns."""


class OptionError(RosenblattError):
    """An option with an unknown or unsuitable value, such as a rule, a start or a budget."""


class LedgerError(RosenblattError):
    """A damaged ledger file, or a ledger replayed on the wrong examples."""


class ModelError(RosenblattError):
    """A damaged model file, or one that this version does not understand."""


class CertificateError(RosenblattError):
    """A damaged certificate, or one that does not prove its claim."""


class MissingExtraError(RosenblattError):
    """A required package is not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs an extra: pip install "rosenblatt[{extra}]"')


class NotConverged(UserWarning):
    """Learning stopped before it reached its goal."""

"""Every error that rosenblatt raises by itself.

RosenblattError
├── DataError         examples that nothing can be learned from; names the row, and the column where there is one
│   └── TableError    a file that cannot be read, or a table whose columns do not fit; names the file
├── OptionError       a rule, a start or a budget that does not exist or does not fit
├── LedgerError       a ledger file that is damaged, or a ledger replayed on examples that do not fit it
├── ModelError        a model file that is damaged, or that this version does not know; names what is wrong
├── CertificateError  a certificate that is damaged or proves nothing about the data; names what failed
└── MissingExtraError a package that is not installed; names the command that installs it

All are ValueErrors too, as scikit-learn's users expect.
"""


class RosenblattError(ValueError):
    """The root of the tree."""


class DataError(RosenblattError):
    """Examples that nothing can be learned from."""


class TableError(DataError):
    """A file that cannot be read, or a table whose columns do not fit."""


class OptionError(RosenblattError):
    """A rule, a start or a budget that does not exist or does not fit."""


class LedgerError(RosenblattError):
    """A damaged ledger file, or a ledger replayed on examples that do not fit it."""


class ModelError(RosenblattError):
    """A damaged model file, or one that this version does not know."""


class CertificateError(RosenblattError):
    """A certificate that is damaged, or that does not prove what it claims."""


class MissingExtraError(RosenblattError):
    """A package that is wanted for this and not installed."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f'{purpose} needs an extra: pip install "rosenblatt[{extra}]"')


class NotConverged(UserWarning):
    """Learning ended before it had what was asked for."""

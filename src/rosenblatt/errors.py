"""Every error that rosenblatt raises by itself.

RosenblattError
├── DataError         examples that nothing can be learned from; names the row, and the column where there is one
├── OptionError       a rule, a start or a budget that does not exist or does not fit
├── LedgerError       a ledger file that is damaged, or a ledger replayed on examples that do not fit it
└── CertificateError  a certificate that is damaged or proves nothing about the data; names what failed

All are ValueErrors too, as scikit-learn's users expect.
"""


class RosenblattError(ValueError):
    """The root of the tree."""


class DataError(RosenblattError):
    """Examples that nothing can be learned from."""


class OptionError(RosenblattError):
    """A rule, a start or a budget that does not exist or does not fit."""


class LedgerError(RosenblattError):
    """A damaged ledger file, or a ledger replayed on examples that do not fit it."""


class CertificateError(RosenblattError):
    """A certificate that is damaged, or that does not prove what it claims."""

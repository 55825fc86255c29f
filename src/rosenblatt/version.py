"""Which version this is; here, so that a file of the package need not import all of it to say so."""

__version__ = "0.1.0"

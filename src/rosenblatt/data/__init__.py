"""Tables that come with the package; README.md tells whose they are, and their licences."""

from importlib.resources import files

import polars as pl


def cars() -> pl.DataFrame:
    """406 cars of the years 1970 to 1982: name, mpg (miles per gallon), six facts about each, and origin.

    8 lack `mpg`, 6 lack `horsepower`.

    >>> cars().shape
    (406, 9)
    """
    return pl.read_csv((files(__name__) / "cars.csv").read_bytes(), infer_schema_length=None)

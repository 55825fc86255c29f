"""Dates in the formats people write, and as days since 1970-01-01."""

import re
from datetime import date

import polars as pl

from rosenblatt.read.values import without_blanks

FORMS = ("", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y", "%Y%m%d")  # "": ISO 8601
ISO = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$"
EVER = date.min.toordinal() - 719163, date.max.toordinal() - 719163  # days since 1970-01-01


def days(expr: pl.Expr, form: str) -> pl.Expr:
    """Dates, times, and texts of this form as whole days since 1970-01-01; null outside the years 1 to 9999."""

    def counted(series: pl.Series) -> pl.Series:
        if form and series.dtype.is_integer():  # 20240131
            series = series.cast(pl.String)
        if series.dtype == pl.String:
            text = without_blanks(series).str.extract(f"^({shape_of(form)}){'$' if form else ''}")
            series = text.str.to_datetime(form, strict=False) if form else text.str.to_date("%Y-%m-%d", strict=False)
        if isinstance(series.dtype, pl.Datetime):  # the day that it shows, as its text would, not that of UTC
            series = series.dt.replace_time_zone(None)
        found = series.cast(pl.Date).to_physical()
        return found.zip_with(found.is_between(*EVER), pl.Series([None], dtype=pl.Int32))

    return expr.map_batches(counted, return_dtype=pl.Int32, is_elementwise=True)


def shape_of(form: str) -> str:
    """A regular expression for dates of a form, because parsers accept stray blanks and signs, each its own."""
    short = "[0-9]{1,2}" if re.search("%.[^%].*%", form) else "[0-9]{2}"
    shape = re.escape(form or "%Y-%m-%d").replace("%Y", "[0-9]{4}").replace("%m", short).replace("%d", short)
    return shape if "%" not in shape else "(?s:.*)"


def has_form(values: pl.Series, form: str) -> bool:
    """Whether all of these texts are dates of a form."""
    if not form and not values.str.contains(ISO).all():
        return False
    if form == "%Y%m%d" and not values.str.contains(r"^(19|20)\d{6}$").all():
        return False
    return days_of(values, form).null_count() == 0


def days_of(values: pl.Series, form: str) -> pl.Series:
    """Texts as days since 1970-01-01; null if a text is not a date of this form."""
    return values.to_frame("text").select(days(pl.col("text"), form)).to_series()

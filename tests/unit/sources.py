"""A table, and ways to write it, for the tests of reading."""

import gzip
import io
import zipfile

import polars as pl

TABLE = pl.DataFrame(
    {
        "age": [31, 42, None, 27, 55] * 4,
        "income": [1.5, -2.25, 1e-3, None, 4e9] * 4,
        "town": ["Bern", "Genève", None, "Zürich, Kreis 4", 'the "old" town'] * 4,
        "y": ["yes", "no", "yes", "no", "no"] * 4,
    }
)


def write(path, content, **options):
    path.write_bytes(content) if isinstance(content, bytes) else path.write_text(content, newline="", **options)
    return path


def as_csv(frame, **options):
    out = io.BytesIO()
    frame.write_csv(out, **options)
    return out.getvalue()


def zstd(content):
    """Packed by what Polars has for it, as it is not in this Python's library."""
    lines = pl.DataFrame({"line": content.decode().removesuffix("\n").split("\n")})
    out = io.BytesIO()
    lines.write_csv(out, include_header=False, quote_style="never", compression="zstd")
    return out.getvalue()


def zipped(content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("inside.csv", content)
    return out.getvalue()


def same(table, frame=TABLE):
    found = table.whole()
    assert found.columns == frame.columns
    assert found.equals(frame)


PACKED = {".csv": bytes, ".csv.gz": gzip.compress, ".csv.zst": zstd, ".zip": zipped}

"""How many of something, in words."""


def many(count: int, what: str, several: str | None = None) -> str:
    """A number and what it counts: 1 row, 2 rows; `several`: where an s is not enough."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {several or f'{what}s'}"

"""Counts in words, with the right plural."""


def many(count: int, what: str, several: str | None = None) -> str:
    """A count and its noun, such as "1 row" or "2 rows"; `several` is the plural if it does not just add an s."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {several or f'{what}s'}"

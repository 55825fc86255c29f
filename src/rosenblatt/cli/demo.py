"""`rosenblatt demo`."""

NAME = "demo"
EXAMPLE = ""


def run() -> None:
    """x"""

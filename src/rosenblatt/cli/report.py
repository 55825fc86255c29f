"""`rosenblatt report`."""

NAME = "report"
EXAMPLE = ""


def run() -> None:
    """x"""

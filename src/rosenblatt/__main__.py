"""`python -m rosenblatt`: the command."""

from rosenblatt.cli.main import start

start()

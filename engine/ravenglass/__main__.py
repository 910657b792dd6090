"""`python -m ravenglass`: the command line."""

from ravenglass.cli.main import run

run()

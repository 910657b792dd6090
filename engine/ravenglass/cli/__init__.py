"""The command line: the same numbers as the desktop, for scripts and for people without a screen."""

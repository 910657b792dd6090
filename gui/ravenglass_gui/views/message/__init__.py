"""The selected message, verbatim."""

"""The summary, the last resort: nine parts made of lines of the record."""

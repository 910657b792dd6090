"""The library: one database of opened and listed sessions, token counts and saved runs."""

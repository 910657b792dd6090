"""Bars and strips around the views, and the parts of the header."""

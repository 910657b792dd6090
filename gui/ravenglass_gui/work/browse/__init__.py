"""Browsing: what agents keep on this machine and what opened folders hold, listed and read behind."""

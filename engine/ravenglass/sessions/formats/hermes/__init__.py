"""Hermes Agent sessions: documents and the database."""

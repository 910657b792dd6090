"""Tests of the dialog that asks."""

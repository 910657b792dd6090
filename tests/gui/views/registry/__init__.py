"""Tests of the view of the registry."""

"""Tests of `replay --policy`."""

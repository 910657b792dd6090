"""Tests of the view of snapshots."""

"""Tests of the commands about context items."""

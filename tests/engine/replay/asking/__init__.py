"""Tests of replays that ask a model or a trace log."""

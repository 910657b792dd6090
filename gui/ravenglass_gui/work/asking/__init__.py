"""Asking a model or a trace log in the planner's place, in a thread of its own."""

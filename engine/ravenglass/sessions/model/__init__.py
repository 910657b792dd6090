"""The normalized session: messages, groups, turns, calls, and what of them a recorded window held."""

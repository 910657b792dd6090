"""Every action there is: one table of what a person can do, and the keys that mean something in one panel only."""

"""What is recorded of the session that is open: its recorded run, what its record tells, its archive on disk."""

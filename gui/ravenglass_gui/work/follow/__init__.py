"""Following: the file that an agent is writing is looked at, and what came is shown."""

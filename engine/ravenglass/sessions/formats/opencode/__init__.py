"""opencode databases, storage folders and exports."""

"""The files that a running engine leaves in its workspace, and how their lines look."""

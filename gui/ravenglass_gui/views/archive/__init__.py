"""What was archived, search over it, and retrieval by hand."""

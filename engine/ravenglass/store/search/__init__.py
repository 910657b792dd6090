"""Full-text search over archived messages, in any script."""

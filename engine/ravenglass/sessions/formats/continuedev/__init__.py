"""Continue sessions."""

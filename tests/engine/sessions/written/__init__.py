"""Random conversations, and how each format writes them down."""

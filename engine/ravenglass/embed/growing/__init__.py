"""Facts about a conversation that grows: each message is taken in once, and what is known of the earlier ones stays."""

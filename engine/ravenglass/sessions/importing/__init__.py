"""What importers share: the protocol, drafts of messages, content blocks, threads, building a session."""

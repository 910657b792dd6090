"""Which formats there are, what opens a path, what a folder or database holds, and files that grow."""

"""A replay whose slow paths are answered by a model or a trace log: what is asked, what it costs, what came of it."""

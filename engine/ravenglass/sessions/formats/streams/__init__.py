"""The streams of events that agents print when a program runs them."""

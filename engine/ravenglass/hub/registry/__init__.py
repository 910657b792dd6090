"""The registry of context items: addresses, their grammar, what is always true of an item, how long it may live."""

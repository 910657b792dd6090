"""What the engine knows of every context item: address, tier, state, size, pins. It records; it decides nothing."""

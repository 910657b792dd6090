"""Commands about context items: the registry, what an address stands for, snapshots."""

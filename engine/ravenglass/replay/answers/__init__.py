"""What a run answers about one call: manifest, window, why, events, registry, snapshots. Made on demand."""

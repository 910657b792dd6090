"""The window: exactly what the call under the playhead saw."""

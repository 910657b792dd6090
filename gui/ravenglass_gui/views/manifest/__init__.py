"""The manifest: every message known at the call under the playhead."""

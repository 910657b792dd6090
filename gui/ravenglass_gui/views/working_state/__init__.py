"""Goals, open threads and decisions at the call under the playhead."""

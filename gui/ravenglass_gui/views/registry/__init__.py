"""The registry at the call under the playhead, and what an address stands for there."""

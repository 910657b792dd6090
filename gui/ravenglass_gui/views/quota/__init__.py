"""Quota gauges of the call under the playhead."""

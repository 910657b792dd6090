"""The timeline: tokens by tier at every call, and the playhead."""

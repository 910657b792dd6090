"""The archive on disk: lossless, verbatim eviction with references that bring the messages back."""

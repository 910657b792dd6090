"""What the responses of a session need: names that earlier messages introduced, and results that are fetched again.

Independent of any profile and window; worked out once a session. Definitions: docs/design/metrics.md.
"""

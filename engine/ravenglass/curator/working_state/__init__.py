"""The working state: goals, open threads and decisions, from structured signals, edits and the curator."""

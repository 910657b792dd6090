"""OpenTelemetry GenAI spans."""

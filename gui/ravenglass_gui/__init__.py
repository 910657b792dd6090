"""The desktop: panels over a Run. It computes nothing; every number comes from the engine."""

"""What makes tuning mean something: needs, cost and cache, importance, fidelity to the reported figures."""

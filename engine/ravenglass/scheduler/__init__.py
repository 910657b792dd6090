"""Deterministic code, once per call: budget, quotas, scores, packing. It reads the hub and proposes; the curator's
assembler decides."""

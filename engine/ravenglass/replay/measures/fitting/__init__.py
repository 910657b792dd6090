"""Estimates against what the provider reported: the fit between the two, its doubts and its errors."""

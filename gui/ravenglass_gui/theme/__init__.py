"""Colours, sizes and fonts by name, light and dark. Knows no view and no session."""

"""The views of the desktop, one folder each: panel, model, delegate and menu of one view together."""

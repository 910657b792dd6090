"""What views have in common: bases of panels and tables, pages of lists and texts."""

"""What runs beside the GUI thread: opening, replaying, following, listing."""

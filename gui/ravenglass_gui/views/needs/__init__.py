"""What responses needed and the window lacked, the control, and what recorded compactions took."""

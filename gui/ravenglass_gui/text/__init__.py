"""Words and numbers as the desktop shows them. No widgets."""

"""Why a message is in or out of the window."""

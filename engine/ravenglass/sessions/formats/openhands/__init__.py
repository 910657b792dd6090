"""OpenHands event lists and conversation folders."""

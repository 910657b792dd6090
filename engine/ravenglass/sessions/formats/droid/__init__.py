"""Factory Droid sessions."""

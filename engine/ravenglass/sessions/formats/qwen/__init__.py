"""Qwen Code sessions."""

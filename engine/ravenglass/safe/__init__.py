"""Safe with other people's files: what they may do to a terminal, a file system, another user's eyes. Knows no session.

visible.py   characters that steer a terminal or turn the order of a line become marks
names.py     any text as the name of a file, no two texts the same
private.py   files and folders that only their owner may read, whole or not at all
"""

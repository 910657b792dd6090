"""Small parts that two views share. They hold no session: what they show is passed in."""

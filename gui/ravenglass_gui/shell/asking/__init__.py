"""The dialog in which a person says who answers the slow paths, and sees first what that costs."""

"""The recorded run: what really was in each window, from the writer's markers and the reported usage."""

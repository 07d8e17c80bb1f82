"""The broker as the doors see it."""

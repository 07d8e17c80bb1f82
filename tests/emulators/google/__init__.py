"""A loopback Google: pages of our own in its markup, its walls, and its faults on command."""

"""Test documents made by real programs, from texts whose every word, heading and cell is known."""

"""Pulling documentation sites into folders, and searching those."""

"""The lanes of a search: one provider's run each, raced under one deadline."""

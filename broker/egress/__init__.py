"""Where a page may be read from, and the connections that go nowhere else."""

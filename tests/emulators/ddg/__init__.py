"""A loopback DuckDuckGo without scripts: the html and the lite endpoint."""

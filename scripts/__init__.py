"""Commands of the checkout; see README."""

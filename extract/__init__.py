"""Pages as data: HTML in, structure and text out. Pure, synchronous, on lxml."""

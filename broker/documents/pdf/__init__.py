"""PDF: words where they stand on their pages, and from them tables, columns, lines and headings."""

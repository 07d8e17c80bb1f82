"""A documentation site as a folder of Markdown files, and searching such a folder.

`pull` walks: `site` asks what the site says of itself (`robots`, `sitemap`, `llms`), `frontier`
decides what is read next and what never, `page` makes a file of what was read, `state` remembers
it all, `relink` makes the links lead from file to file. `folder` searches. Nothing here opens a
connection: pages come by the ways of `broker.reading`.
"""

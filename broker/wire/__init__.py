"""The doors: the sidecar on stdin and stdout, and the one-shot commands.

`schema` (with `values`) says what can be asked and `replies` what is answered, `schema_reading`,
`replies_reading` and `replies_passages` the same of pages that are read; `codec` frames it, `stdio`
moves the bytes, `sidecar` runs the requests, `native` is its table of methods and `mcp` that of the
Model Context Protocol; `oneshot`, `text`, `text_reading` and `text_passages` serve a person or a
script.
"""

"""The doors: the sidecar on stdin and stdout, and the one-shot commands.

`schema` (with `values`) says what can be asked and `replies` what is answered, `schema_reading` and
`replies_reading` the same of pages that are read; `codec` frames it, `stdio` moves the bytes,
`sidecar` runs the requests, `native` is its table of methods and `mcp` that of the Model Context
Protocol; `oneshot`, `text` and `text_reading` serve a person or a script.
"""

"""The doors: the sidecar on stdin and stdout, and the one-shot commands.

`schema` (with `values`) says what can be asked and `replies` what is answered; `codec` frames it,
`stdio` moves the bytes, `sidecar` runs the requests, `native` is its table of methods; `oneshot`
and `text` serve a person or a script.
"""

"""Reading pages and files: from an address to a document that fits an answer.

`way` goes from an address to a page (get, judge, render, ask the archives), `reader` is the door to
it: it keeps what was read, and answers from what is kept. What is told of a page is made in
`answers`, from windows of its text (`texts`), in a fence (`fence`). `judging`, `plain`, `archives`,
`injection` and `fence` are pure.
"""
